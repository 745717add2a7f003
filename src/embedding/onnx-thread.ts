/** Entry of the embedding thread. Owns all sessions; its messages are in thread-calls.ts. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { openModel } from './open-model.js';
import type { OnnxModel } from './onnx-model.js';
import type { FromThread, ThreadSettings, ToThread } from './thread-calls.js';
import { ThreadLanes } from './thread-lanes.js';
import { messageOf } from '../base/errors.js';

/** Priority (nice) of threads for pages. With 19, a thread gets hardly any time on a busy machine. */
const BACKGROUND = 10;

if (!parentPort) throw new Error('onnx-thread.js is started by the embedder, not by hand.');
const port = parentPort;
const settings = workerData as ThreadSettings;
// Only on Linux a priority applies to one thread, not to the whole process.
if (settings.background && process.platform === 'linux') setPriority(BACKGROUND);
const models = new Map<string, OnnxModel>();
const answer = (message: FromThread, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);
const lanes = new ThreadLanes(models, answer);

// One load at a time: a model requested twice is opened once. Queries run between loads.
let loads: Promise<void> = Promise.resolve();

async function load(id: number, location: string): Promise<void> {
  try {
    answer({ type: 'loaded', id, model: await openModel(location, settings, models) });
  } catch (error) {
    answer({ type: 'failed', id, fault: 'model', message: messageOf(error) });
  }
}

async function unload(fingerprint: string): Promise<void> {
  const model = models.get(fingerprint);
  models.delete(fingerprint);
  await model?.dispose().catch(() => undefined);
}

async function stop(): Promise<void> {
  await Promise.allSettled([...models.values()].map((model) => model.dispose()));
  process.exit(0);
}

port.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'load':
      loads = loads.then(() => load(message.id, message.location));
      break;
    case 'unload':
      // After earlier loads.
      loads = loads.then(() => unload(message.fingerprint));
      break;
    case 'cancel':
      lanes.cancel(message.id);
      break;
    case 'ping':
      answer({ type: 'pong' });
      break;
    case 'stop':
      void stop();
      break;
    case 'query':
    case 'content':
    case 'split':
    case 'passage':
      lanes.push(message);
  }
});

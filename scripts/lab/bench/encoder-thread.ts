/** A thread of `incoming.ts`: runs a model on texts whose tokens are ready, and says how many it did in a second. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { openDirectly } from './direct-inference.js';

const { folder, texts } = workerData as { folder: string; texts: string[] };
// As the threads for pages do it: what else the machine does meets both alike.
if (process.platform === 'linux') setPriority(10);
const direct = await openDirectly(folder, 1);
const rows = texts.map((text) => direct.tokenize(text));
await direct.embed(rows.slice(0, 5), 1);
parentPort?.postMessage('ready');
parentPort?.once('message', () => {
  const from = performance.now();
  void direct.embed(rows, 1).then(() => {
    parentPort?.postMessage((rows.length * 1000) / (performance.now() - from));
  });
});

/**
 * Entry of the embedding threads, which piscina calls with one task at a time. The module owns the sessions of its
 * thread.
 */
import { workerData } from 'node:worker_threads';
import { messageOf } from '../base/errors.js';
import { lowerPriority } from '../platform/lower-priority.js';
import type { LoadedModel } from './embedder.js';
import { ModelUnavailable } from './embedder-errors.js';
import { newGate, passGate, type NativeGate } from './native-gate.js';
import { openModel, type OpenOptions } from './open-model.js';
import type { NativeCall, OnnxModel } from './onnx-model.js';
import { splitChunks } from './split-chunks.js';

/** The `workerData` of a thread. */
export interface ThreadSettings extends Omit<OpenOptions, 'native'> {
  /** Whether the thread has a lower priority than others; only on Linux. */
  background: boolean;
}

export type Task = {
  location: string;
  /** Fingerprints of models that the thread frees. */
  unloaded: readonly string[];
  /** Whether the caller no longer waits for the answer. */
  cancelled?: boolean;
} & (
  | { type: 'load' }
  | { type: 'query'; fingerprint: string; text: string }
  /** Splits a content into chunks. */
  | { type: 'split'; fingerprint: string; text: string }
  | { type: 'passages'; fingerprint: string; texts: readonly string[] }
);

/**
 * The answer to a task. `offsets`: start and end of each chunk in turn. `fault`: whether this text or all calls of the
 * model fail.
 */
export type Answer =
  | { model: LoadedModel }
  | { vectors: Float32Array[] }
  | { offsets: Int32Array }
  | { fault: 'text' | 'model'; message: string };

/** A sentence of at most this many tokens is repeated at the start of the next chunk. */
const OVERLAP_TOKENS = 24;

const settings = workerData as ThreadSettings;
if (settings.background) lowerPriority();
const models = new Map<string, OnnxModel>();
/** The reasons of models that this thread could not open again: a query must not cost another attempt. */
const refused = new Map<string, string>();
/** The gate of the task that runs. */
let gate = newGate();
const native: NativeCall = (call) => passGate(gate, call);
const options = { ...settings, native };

export default async function answer(task: Task & { gate: NativeGate }): Promise<Answer> {
  gate = task.gate;
  try {
    await free(task.unloaded);
    if (task.cancelled) return { vectors: [] };
    if (task.type !== 'load') return await embed(await requireModel(task), task);
    refused.clear();
    return { model: await openModel(task.location, options, models) };
  } catch (error) {
    return { fault: error instanceof ModelUnavailable ? 'model' : 'text', message: messageOf(error) };
  }
}

async function free(fingerprints: readonly string[]): Promise<void> {
  for (const fingerprint of fingerprints) {
    const model = models.get(fingerprint);
    models.delete(fingerprint);
    await model?.dispose().catch(() => undefined);
  }
}

async function requireModel({ location, fingerprint }: { location: string; fingerprint: string }): Promise<OnnxModel> {
  if (!models.has(fingerprint) && !refused.has(fingerprint)) {
    const reason = await openModel(location, options, models).then(() => 'it has changed', messageOf);
    if (!models.has(fingerprint)) refused.set(fingerprint, reason);
  }
  const model = models.get(fingerprint);
  if (!model) throw new ModelUnavailable(`The model in ${location} is no longer loaded: ${refused.get(fingerprint)}`);
  return model;
}

async function embed(model: OnnxModel, task: Exclude<Task, { type: 'load' }>): Promise<Answer> {
  if (task.type === 'query') return { vectors: [await model.embed('query', task.text)] };
  if (task.type === 'split') {
    const count = (sentence: string): number => model.countTokens(sentence);
    const chunks = [...splitChunks(task.text, count, model.chunkRoom, OVERLAP_TOKENS)];
    return { offsets: Int32Array.from(chunks.flatMap(({ start, end }) => [start, end])) };
  }
  const vectors: Float32Array[] = [];
  for (const text of task.texts) vectors.push(await model.embed('passage', text));
  return { vectors };
}

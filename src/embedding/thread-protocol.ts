import type { LoadedModel } from './embedder.js';
import type { OpenOptions } from './open-model.js';

/** `workerData` of the thread. */
export interface ThreadSettings extends OpenOptions {
  overlapTokens: number;
  /** Whether every other thread goes before this one, where the system can tell threads apart. */
  background: boolean;
}

/** Work of the thread. Answered by `id`, unless it is cancelled first. */
export type Work =
  | { type: 'load'; id: number; location: string }
  | { type: 'query'; id: number; fingerprint: string; text: string }
  | { type: 'content'; id: number; fingerprint: string; text: string }
  /** The passages of a content without vectors, and one of them. */
  | { type: 'split'; id: number; fingerprint: string; text: string }
  | { type: 'passage'; id: number; fingerprint: string; text: string };

export type ToThread =
  Work | { type: 'cancel'; id: number } | { type: 'unload'; fingerprint: string } | { type: 'ping' } | { type: 'stop' };

export type FromThread =
  | { type: 'loaded'; id: number; model: LoadedModel }
  | { type: 'vector'; id: number; vector: Float32Array }
  /** `offsets`: start and end of each passage in turn. `vectors`: all vectors, one after the other; none of a split. */
  | { type: 'passages'; id: number; offsets: Int32Array; vectors: Float32Array }
  /** `fault`: what would fail again: this text, or every call of this model. */
  | { type: 'failed'; id: number; fault: 'text' | 'model'; message: string }
  | { type: 'pong' };

import type { EmbeddedChunk, LoadedModel } from './embedder.js';
import { EmbedderOverloaded, EmbedderTimeout } from './embedder-errors.js';
import type { OpenOptions } from './open-model.js';

/** `workerData` of the thread. */
export interface ThreadSettings extends OpenOptions {
  /** Lower priority than other threads; only on Linux. */
  background: boolean;
}

/** Work of the thread. Answered by `id`, unless it is cancelled first. */
export type Work =
  | { type: 'load'; id: number; location: string }
  | { type: 'query'; id: number; fingerprint: string; text: string }
  | { type: 'content'; id: number; fingerprint: string; text: string }
  /** The chunks of a content without vectors, and one of them. */
  | { type: 'split'; id: number; fingerprint: string; text: string }
  | { type: 'passage'; id: number; fingerprint: string; text: string };

export type ToThread =
  Work | { type: 'cancel'; id: number } | { type: 'unload'; fingerprint: string } | { type: 'ping' } | { type: 'stop' };

export type FromThread =
  | { type: 'loaded'; id: number; model: LoadedModel }
  | { type: 'vector'; id: number; vector: Float32Array }
  /** `offsets`: start and end of each chunk in turn. `vectors`: all vectors, one after the other; none of a split. */
  | { type: 'passages'; id: number; offsets: Int32Array; vectors: Float32Array }
  /** `fault`: whether this text or every call of the model would fail again. */
  | { type: 'failed'; id: number; fault: 'text' | 'model'; message: string }
  | { type: 'pong' };

export type Answered = Exclude<FromThread, { type: 'failed' } | { type: 'pong' }>;

/** A pending call. */
export interface Call {
  work: Work;
  /** Whether the thread has received it. Then it is lost together with the thread. */
  sent: boolean;
  resolve: (answer: Answered) => void;
  reject: (error: Error) => void;
}

export interface CallOptions {
  deadlineMs: number;
  signal?: AbortSignal | undefined;
}

interface Limits {
  calls: number;
  characters: number;
}

/** Pending calls: bounded per lane, each with a deadline and optionally an abort signal. */
export class ThreadCalls {
  readonly #limits: Limits;
  readonly #calls = new Map<number, Call>();
  readonly #onAbandoned: (call: Call) => void;

  /** `onAbandoned` receives each call that was rejected for its deadline or abort signal. */
  constructor(limits: Limits, onAbandoned: (call: Call) => void) {
    this.#limits = limits;
    this.#onAbandoned = onAbandoned;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Adds a call, then calls `send` with it. Settles with the answer. Loads are not bounded. */
  add(work: Work, { deadlineMs, signal }: CallOptions, send: (call: Call) => void): Promise<Answered> {
    return new Promise<Answered>((resolve, reject) => {
      signal?.throwIfAborted();
      this.#admit(work);
      const abandon = (error: Error): void => {
        call.reject(error);
        this.#onAbandoned(call);
      };
      const abort = (): void => abandon(abortError(signal));
      const timer = setTimeout(() => {
        abandon(new EmbedderTimeout(`No answer to this ${work.type} within ${deadlineMs} ms.`));
      }, deadlineMs);
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#calls.delete(work.id);
      };
      signal?.addEventListener('abort', abort, { once: true });
      const call: Call = {
        work,
        sent: false,
        resolve: (answer) => {
          settle();
          resolve(answer);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
      this.#calls.set(work.id, call);
      send(call);
    });
  }

  get(id: number): Call | undefined {
    return this.#calls.get(id);
  }

  /** A copy, so that calls can settle during a loop. */
  all(): Call[] {
    return [...this.#calls.values()];
  }

  #admit(work: Work): void {
    if (work.type === 'load') return;
    let calls = 0;
    let characters = work.text.length;
    for (const { work: other } of this.#calls.values()) {
      if (other.type !== work.type) continue;
      calls += 1;
      characters += other.text.length;
    }
    if (calls >= this.#limits.calls)
      throw new EmbedderOverloaded(`${calls} calls of the kind "${work.type}" are waiting already.`);
    // Accepts a text over the limit if no other waits, else it never would be accepted.
    if (calls > 0 && characters > this.#limits.characters)
      throw new EmbedderOverloaded(`${characters} characters would be waiting in the lane "${work.type}".`);
  }
}

function abortError(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new DOMException('The call was aborted.', 'AbortError');
}

export function loadedModel(answer: Answered): LoadedModel {
  if (answer.type !== 'loaded') throw new Error(`unexpected answer ${answer.type}`);
  return answer.model;
}

export function vectorOf(answer: Answered): Float32Array {
  if (answer.type !== 'vector') throw new Error(`unexpected answer ${answer.type}`);
  return answer.vector;
}

export function chunksOf(answer: Answered): EmbeddedChunk[] {
  if (answer.type !== 'passages') throw new Error(`unexpected answer ${answer.type}`);
  const { offsets, vectors } = answer;
  const count = offsets.length / 2;
  const dimensions = count === 0 ? 0 : vectors.length / count;
  return Array.from({ length: count }, (_, ordinal) => ({
    ordinal,
    start: offsets[2 * ordinal] ?? 0,
    end: offsets[2 * ordinal + 1] ?? 0,
    vector: vectors.subarray(ordinal * dimensions, (ordinal + 1) * dimensions),
  }));
}

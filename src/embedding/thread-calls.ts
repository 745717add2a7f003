import { EmbedderOverloaded, EmbedderTimeout } from './embedder-errors.js';
import type { FromThread, Work } from './thread-protocol.js';

export type Answered = Exclude<FromThread, { type: 'failed' } | { type: 'pong' }>;

/** A call without an answer. */
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

export interface Limits {
  calls: number;
  characters: number;
}

/** Calls without an answer: bounded per lane, each with a deadline and perhaps an abort signal. */
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
      const abort = (): void => {
        abandon(abortError(signal));
      };
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
    if (calls >= this.#limits.calls) {
      throw new EmbedderOverloaded(`${calls} calls of the kind "${work.type}" are waiting already.`);
    }
    // A text over the limit is accepted when it is alone: otherwise it never would be.
    if (calls > 0 && characters > this.#limits.characters) {
      throw new EmbedderOverloaded(`${characters} characters would be waiting in the lane "${work.type}".`);
    }
  }
}

function abortError(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new DOMException('The call was aborted.', 'AbortError');
}

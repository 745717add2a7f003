import { EmbedderOverloaded, EmbedderTimeout } from './embedder-errors.js';
import type { FromThread, Work } from './thread-protocol.js';

export type Answered = Exclude<FromThread, { type: 'failed' } | { type: 'pong' }>;

/** A call that has no answer yet. */
export interface Call {
  work: Work;
  /** Whether the thread has it: if so, it is lost when the thread is. */
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

/** The calls without an answer: bounded per lane, each with a deadline and perhaps a signal. */
export class PendingCalls {
  readonly #limits: Limits;
  readonly #calls = new Map<number, Call>();
  readonly #onGivenUp: (call: Call) => void;

  /** `onGivenUp` is told of a call that was rejected for its deadline or signal. */
  constructor(limits: Limits, onGivenUp: (call: Call) => void) {
    this.#limits = limits;
    this.#onGivenUp = onGivenUp;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** A call that settles with its answer; `send` is called once it waits. Loads are not bounded. */
  add(work: Work, { deadlineMs, signal }: CallOptions, send: (call: Call) => void): Promise<Answered> {
    return new Promise<Answered>((resolve, reject) => {
      signal?.throwIfAborted();
      this.#admit(work);
      const giveUp = (error: Error): void => {
        call.reject(error);
        this.#onGivenUp(call);
      };
      const abort = (): void => {
        giveUp(abortError(signal));
      };
      const timer = setTimeout(() => {
        giveUp(new EmbedderTimeout(`No answer to this ${work.type} within ${deadlineMs} ms.`));
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

  /** A copy, so that calls may be settled on the way. */
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
    // A text over the limit is let in when it is alone, or it could never be.
    if (calls > 0 && characters > this.#limits.characters) {
      throw new EmbedderOverloaded(`${characters} characters would be waiting in the lane "${work.type}".`);
    }
  }
}

function abortError(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new DOMException('The call was aborted.', 'AbortError');
}

import type { Heard } from '../ask.js';

/** Every request must be answered within this time, whether or not the database can be reached. */
const WITHIN_MS = 10_000;

/** Counts answers by status, and keeps the slowest time and the answers that no outage of the database excuses. */
export class Answers {
  readonly faults: string[] = [];
  slowestMs = 0;
  readonly #statuses = new Map<string, number>();
  #waiting: { path: string; done: () => void }[] = [];

  readonly add = (heard: Heard): void => {
    const { path, status, ms } = heard;
    const key = String(status ?? 'none');
    this.#statuses.set(key, (this.#statuses.get(key) ?? 0) + 1);
    this.slowestMs = Math.max(this.slowestMs, ms);
    const fault = ms > WITHIN_MS ? `answered after ${Math.round(ms)} ms` : faultOf(heard);
    if (fault !== undefined) this.faults.push(`${path}: ${fault}`);
    if (status !== undefined && status < 300) {
      this.#waiting
        .filter((waiter) => waiter.path === path)
        .forEach(({ done }) => {
          done();
        });
      this.#waiting = this.#waiting.filter((waiter) => waiter.path !== path);
    }
  };

  /** Resolves with the next answer to this path that has a status below 300. */
  nextGood(path: string): Promise<void> {
    return new Promise((done) => this.#waiting.push({ path, done }));
  }

  /** Returns the number of answers by status, and the slowest time, since the last call. */
  take(): { statuses: Record<string, number>; slowestMs: number } {
    const taken = { statuses: Object.fromEntries([...this.#statuses].sort()), slowestMs: Math.round(this.slowestMs) };
    this.#statuses.clear();
    this.slowestMs = 0;
    return taken;
  }
}

function faultOf({ status, text, retryAfter }: Heard): string | undefined {
  if (status === undefined) return `no answer (${text})`;
  if (status < 300 || status === 404 || (status === 503 && retryAfter !== undefined)) return undefined;
  if (status !== 500) return `status ${status}: ${text.slice(0, 200)}`;
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; details: { request_id: string } } };
    const named = error.code === 'internal_error' && error.message === 'The database cannot be reached at the moment.';
    if (
      named &&
      /^[0-9a-f-]{36}$/.test(error.details.request_id) &&
      Object.keys(error).join() === 'code,message,details'
    )
      return undefined;
  } catch {
    // Not JSON, or not of this form: reported below.
  }
  return `a 500 that does not name the cause: ${text.slice(0, 200)}`;
}

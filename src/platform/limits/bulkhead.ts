import { overloaded } from '../../base/errors.js';
import { HoldBack } from './hold-back.js';

export interface BulkheadOptions {
  /** The max works that run at once. */
  slots: number;
  waiting: {
    /** The max works that wait in a burst, in all lines together. */
    maxInBurst: number;
    /** The max works that wait in one line under a sustained load. */
    maxSustained: number;
    /** Under a sustained load, a line whose first work has waited so long is full. For works of a moment. */
    maxHeadWaitMs?: number;
    /** A line whose works have waited, or were refused, for this time without a break is under a sustained load. */
    burstMs: number;
  };
  maxWaitMs: number;
  /** The max wait while all lines are under a sustained load: with very many short lines, all works are late. */
  maxSustainedWaitMs?: number;
  /** A line with more refusals in a second gets each further refusal a second later. */
  maxRefusedAtOnce?: number;
  /** Returns the time in monotonic milliseconds. */
  now?: (() => number) | undefined;
}

interface Waiter {
  since: number;
  enter: () => void;
  refuse: () => void;
}

interface Load {
  /** The time when the first work began to wait; undefined: all were served since (giving up is not being served). */
  waitsSince: number | undefined;
  /** The load counts as sustained until this time: a short queue may be empty for a moment. */
  loadUntil: number;
}

/** The work of one project, or of one key. */
interface Line extends Load {
  running: number;
  /** The waiting works, in the order in which they came. */
  waiting: Set<Waiter>;
  refusals: { since: number; count: number };
}

/** A line that is alone leaves one slot in eight free, so that another's work begins at once. */
const RESERVED_ONE_IN = 8;
/** The max lines that are remembered while none of their works runs or waits; each takes some hundred bytes. */
const MAX_IDLE = 1_000;

/**
 * Limits how much work runs at once, how much waits, and for how long.
 *
 * Lines take turns (round robin, Nagle's RFC 970), so that a flood delays and displaces only itself; while others wait,
 * a line has at most half of the slots. Within a line the first comes first: in a short queue the last is not late.
 *
 * A burst waits, since its queue empties again; where all lines are full, the last of the longest one is refused. A
 * sustained load never empties the queue and would only make all works late, so the excess is refused when it comes: a
 * caller that is refused at once can go elsewhere. Controlled delay makes the same distinction (RFC 8289; for servers,
 * "Fail at Scale", ACM Queue 2015). The limit is a length, which fits fast and slow machines alike.
 */
export class Bulkhead {
  readonly #options: BulkheadOptions;
  readonly #now: () => number;
  readonly #lines = new Map<string, Line>();
  /** The lines with waiting works, in the order of their turns. */
  readonly #turns = new Set<Line>();
  readonly #late = new HoldBack();
  /** The load of all lines together. */
  readonly #load: Load = { waitsSince: undefined, loadUntil: -Infinity };
  #running = 0;
  #waiting = 0;
  #refused = 0;
  #leftAt = -Infinity;

  constructor(options: BulkheadOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Runs the work when a slot is free.
   * @param id names the line, as a rule a project.
   * @param signal ends the wait; a function is called only if there is one. Work that has begun must watch it itself.
   * @throws ApiError overloaded
   */
  async run<Result>(id: string, work: () => Promise<Result>, signal?: AbortSignal | (() => AbortSignal)) {
    if (typeof signal === 'object') signal.throwIfAborted();
    const line = this.#lineOf(id);
    if (this.#mayRun(line)) this.#enter(line);
    else {
      const ends = typeof signal === 'function' ? signal() : signal;
      ends?.throwIfAborted();
      if (!this.#hasRoom(line)) await this.#refuse(line);
      await this.#wait(line, ends);
    }
    try {
      return await work();
    } finally {
      this.#leave(id, line);
    }
  }

  stats(): { running: number; waiting: number; refused: number } {
    return { running: this.#running, waiting: this.#waiting, refused: this.#refused };
  }

  /** Whether work runs, or ran within this time. */
  usedWithin(ms: number): boolean {
    return this.#running > 0 || this.#now() - this.#leftAt < ms;
  }

  #lineOf(id: string): Line {
    const known = this.#lines.get(id);
    if (known) return known;
    if (this.#lines.size > MAX_IDLE)
      for (const [other, { running, waiting }] of this.#lines)
        if (running === 0 && waiting.size === 0) this.#lines.delete(other);
    const refusals = { since: -Infinity, count: 0 };
    const line = { running: 0, waiting: new Set<Waiter>(), waitsSince: undefined, loadUntil: -Infinity, refusals };
    this.#lines.set(id, line);
    return line;
  }

  #mayRun(line: Line): boolean {
    const { slots } = this.#options;
    const othersWait = this.#turns.size > (this.#turns.has(line) ? 1 : 0);
    const max = othersWait ? Math.ceil(slots / 2) : slots - Math.floor(slots / RESERVED_ONE_IN);
    return this.#running < slots && line.running < max;
  }

  #enter(line: Line): void {
    this.#running++;
    line.running++;
  }

  #isSustained({ loadUntil, waitsSince }: Load, now: number): boolean {
    return now < loadUntil || (waitsSince !== undefined && now - waitsSince >= this.#options.waiting.burstMs);
  }

  #hasRoom(line: Line): boolean {
    const { maxInBurst, maxSustained, maxHeadWaitMs = Infinity } = this.#options.waiting;
    const now = this.#now();
    if (this.#isSustained(line, now)) {
      const [head] = line.waiting;
      if (line.waiting.size >= maxSustained || now - (head?.since ?? now) > maxHeadWaitMs) return false;
    }
    if (this.#waiting < maxInBurst) return true;
    let longest = line;
    for (const other of this.#turns) if (other.waiting.size > longest.waiting.size) longest = other;
    if (longest === line) return false;
    [...longest.waiting].at(-1)?.refuse();
    return true;
  }

  /** @throws ApiError overloaded, after a second where the line had very many refusals. */
  async #refuse(line: Line): Promise<never> {
    this.#refused++;
    const now = this.#now();
    for (const load of [line, this.#load])
      if (this.#isSustained(load, now)) load.loadUntil = now + this.#options.waiting.burstMs;
    if (now - line.refusals.since > 1_000) line.refusals = { since: now, count: 0 };
    if (++line.refusals.count > (this.#options.maxRefusedAtOnce ?? Infinity)) await this.#late.start();
    throw overloaded();
  }

  #wait(line: Line, signal: AbortSignal | undefined): Promise<void> {
    const since = this.#now();
    const { maxWaitMs, maxSustainedWaitMs = maxWaitMs } = this.#options;
    const maxMs = this.#isSustained(this.#load, since) ? maxSustainedWaitMs : maxWaitMs;
    line.waitsSince ??= since;
    this.#load.waitsSince ??= since;
    return new Promise((done, failed) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        line.waiting.delete(waiter);
        if (line.waiting.size === 0) this.#turns.delete(line);
        this.#waiting--;
      };
      const waiter: Waiter = {
        since,
        enter: () => {
          settle();
          this.#enter(line);
          done();
        },
        refuse: () => {
          settle();
          this.#refuse(line).catch(failed);
        },
      };
      // A waiter that leaves may end a limit on another line.
      const abort = (): void => {
        settle();
        failed(signal?.reason as Error);
        this.#fillSlots();
      };
      const timer = setTimeout(() => {
        waiter.refuse();
        this.#fillSlots();
      }, maxMs);
      signal?.addEventListener('abort', abort, { once: true });
      line.waiting.add(waiter);
      this.#turns.add(line);
      this.#waiting++;
    });
  }

  #leave(id: string, line: Line): void {
    this.#running--;
    line.running--;
    this.#leftAt = this.#now();
    this.#fillSlots();
    if (this.#waiting === 0) this.#load.waitsSince = undefined;
    if (line.waiting.size > 0) return;
    line.waitsSince = undefined;
    if (line.running === 0 && !this.#isSustained(line, this.#leftAt)) this.#lines.delete(id);
  }

  #fillSlots(): void {
    for (let next = this.#nextLine(); next; next = this.#nextLine()) {
      const [first] = next.waiting;
      // The next turn of this line comes after those of all others.
      this.#turns.delete(next);
      first?.enter();
      if (next.waiting.size > 0) this.#turns.add(next);
    }
  }

  #nextLine(): Line | undefined {
    for (const line of this.#turns) if (this.#mayRun(line)) return line;
    return undefined;
  }
}

import { overloaded } from '../../base/errors.js';
import { FairQueue } from './fair-queue.js';
import { QueueLimit, type QueueLimits } from './queue-limit.js';

export interface BulkheadOptions {
  /** Works that run at once. */
  slots: number;
  /** For each project; all projects together wait no more than one in a burst. */
  waiting: QueueLimits;
  maxWaitMs: number;
  /** Monotonic milliseconds. */
  now?: () => number;
}

interface Waiter {
  enter: () => void;
  refuse: () => void;
}

interface Project {
  running: number;
  bound: QueueLimit;
}

/** A project that is alone leaves one slot in eight free, so that another's work begins at once. */
const RESERVED_ONE_IN = 8;
/** Projects remembered while nothing of theirs runs or waits; some hundred bytes each. */
const MAX_IDLE = 1_000;

/**
 * Limits how much work runs at once, how much waits, and for how long. Projects take turns, so a project that floods
 * delays and displaces only its own work. While others wait, a project has at most half of the slots. When the queue is
 * full, the last waiter of the project with the most waiters is refused. Within a project, the first to come is served
 * first: in a short queue even the last is not late yet.
 */
export class Bulkhead {
  readonly #options: BulkheadOptions;
  readonly #now: () => number;
  readonly #waiting = new FairQueue<Waiter>();
  readonly #projects = new Map<string, Project>();
  #running = 0;
  #refused = 0;
  #leftAt = -Infinity;

  constructor(options: BulkheadOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Runs the work when a slot is free.
   * @param signal ends the wait; a function is called only if there is one. Work that has begun must watch it itself.
   * @throws ApiError overloaded
   */
  async run<Result>(
    projectId: string,
    work: () => Promise<Result>,
    signal?: AbortSignal | (() => AbortSignal),
  ): Promise<Result> {
    if (typeof signal === 'object') signal.throwIfAborted();
    const project = this.#project(projectId);
    if (this.#mayRun(projectId)) this.#enter(project);
    else {
      const ends = typeof signal === 'function' ? signal() : signal;
      ends?.throwIfAborted();
      await this.#wait(projectId, project, ends);
    }
    try {
      return await work();
    } finally {
      this.#leave(projectId, project);
    }
  }

  stats(): { running: number; waiting: number; refused: number } {
    return { running: this.#running, waiting: this.#waiting.size, refused: this.#refused };
  }

  /** Whether work runs, or ran within this time. */
  usedWithin(ms: number): boolean {
    return this.#running > 0 || this.#now() - this.#leftAt < ms;
  }

  #project(projectId: string): Project {
    const known = this.#projects.get(projectId);
    if (known) return known;
    if (this.#projects.size > MAX_IDLE) {
      for (const [id, { running }] of this.#projects)
        if (running === 0 && this.#waiting.waiting(id) === 0) this.#projects.delete(id);
    }
    const project = { running: 0, bound: new QueueLimit(this.#options.waiting) };
    this.#projects.set(projectId, project);
    return project;
  }

  #mayRun(projectId: string): boolean {
    const { slots } = this.#options;
    const max = this.#waiting.othersWait(projectId)
      ? Math.ceil(slots / 2)
      : slots - Math.floor(slots / RESERVED_ONE_IN);
    return this.#running < slots && this.#project(projectId).running < max;
  }

  #enter(project: Project): void {
    this.#running++;
    project.running++;
  }

  #wait(projectId: string, project: Project, signal: AbortSignal | undefined): Promise<void> {
    if (!this.#findRoom(projectId, project)) {
      this.#refused++;
      return Promise.reject(overloaded());
    }
    return new Promise((done, failed) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#waiting.delete(projectId, waiter);
      };
      const waiter: Waiter = {
        enter: () => {
          settle();
          this.#enter(project);
          done();
        },
        refuse: () => {
          settle();
          this.#refused++;
          failed(overloaded());
        },
      };
      const abort = (): void => {
        settle();
        failed(signal?.reason as Error);
        this.#fillSlots();
      };
      const timer = setTimeout(() => {
        waiter.refuse();
        this.#fillSlots();
      }, this.#options.maxWaitMs);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(projectId, waiter);
    });
  }

  #findRoom(projectId: string, { bound }: Project): boolean {
    const now = this.#now();
    if (!bound.join(this.#waiting.waiting(projectId), now)) return false;
    if (this.#waiting.size < this.#options.waiting.maxInBurst) return true;
    const displaced = this.#waiting.displacedBy(projectId);
    if (displaced) displaced.refuse();
    else bound.refused(now);
    return displaced !== undefined;
  }

  /** A queue whose waiters timed out has not emptied; only one that was worked off has. */
  #leave(projectId: string, project: Project): void {
    this.#running--;
    project.running--;
    this.#leftAt = this.#now();
    this.#fillSlots();
    if (this.#waiting.waiting(projectId) > 0) return;
    project.bound.emptied();
    if (project.running === 0 && !project.bound.isSustained(this.#leftAt)) this.#projects.delete(projectId);
  }

  /** Fills free slots. Called also when a waiter leaves: that may end a limit on another project. */
  #fillSlots(): void {
    while (this.#running < this.#options.slots) {
      const next = this.#waiting.next((projectId) => this.#mayRun(projectId));
      if (!next) return;
      next.enter();
    }
  }
}

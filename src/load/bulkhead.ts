import { overloaded } from '../errors.js';
import { FairQueue } from './fair-queue.js';
import { QueueBound, type QueueLengths } from './queue-bound.js';

export interface BulkheadOptions {
  /** Work in hand at once. */
  slots: number;
  /** Of each project; all together wait no more than a burst of one. */
  waiting: QueueLengths;
  /** Nobody waits longer than so many milliseconds. */
  patienceMs: number;
  /** Monotonic milliseconds. */
  now?: () => number;
}

interface Waiter {
  enter: () => void;
  refuse: () => void;
}

interface Project {
  running: number;
  bound: QueueBound;
}

/** One slot in so many is left free by a project that is alone: another's work begins at once. */
const LEAVE_ONE_IN = 8;
/** Projects that are remembered though they have nothing in hand; some hundred bytes each. */
const MAX_IDLE = 1_000;

/**
 * Bounds work in hand: so much at once, so much waiting for that, and no longer than is of use. Projects take turns, so
 * that the flood of one makes itself wait, and refuses itself: while others wait a project has half of the slots at
 * most, and where there is no room to wait the last of the longest line gives way. Within a project, those who wait are
 * served in the order in which they came: with a short queue those at its end are not late yet, and nobody is overtaken
 * for ever.
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
   * Does the work of a project as soon as there is a slot for it.
   * @param signal gives up waiting; work that has begun must look after it itself.
   * @throws ApiError overloaded
   */
  async run<Result>(projectId: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    const project = this.#project(projectId);
    if (this.#mayRun(projectId)) this.#enter(project);
    else await this.#wait(projectId, project, signal);
    try {
      return await work();
    } finally {
      this.#leave(projectId, project);
    }
  }

  stats(): { running: number; waiting: number; refused: number } {
    return { running: this.#running, waiting: this.#waiting.size, refused: this.#refused };
  }

  /** Whether some work is in hand, or was so many milliseconds ago. */
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
    const project = { running: 0, bound: new QueueBound(this.#options.waiting) };
    this.#projects.set(projectId, project);
    return project;
  }

  #mayRun(projectId: string): boolean {
    const { slots } = this.#options;
    const max = this.#waiting.othersWait(projectId) ? Math.ceil(slots / 2) : slots - Math.floor(slots / LEAVE_ONE_IN);
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
        this.#handOn();
      };
      const timer = setTimeout(() => {
        waiter.refuse();
        this.#handOn();
      }, this.#options.patienceMs);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(projectId, waiter);
    });
  }

  #findRoom(projectId: string, { bound }: Project): boolean {
    const now = this.#now();
    if (!bound.join(this.#waiting.waiting(projectId), now)) return false;
    if (this.#waiting.size < this.#options.waiting.inBurst) return true;
    const displaced = this.#waiting.displacedBy(projectId);
    if (displaced) displaced.refuse();
    else bound.refused(now);
    return displaced !== undefined;
  }

  /** Only a queue that was worked off has ended; one that lost its patience has not. */
  #leave(projectId: string, project: Project): void {
    this.#running--;
    project.running--;
    this.#leftAt = this.#now();
    this.#handOn();
    if (this.#waiting.waiting(projectId) > 0) return;
    project.bound.emptied();
    if (project.running === 0 && !project.bound.stands(this.#leftAt)) this.#projects.delete(projectId);
  }

  /**
   * Gives free slots to those whose turn it is; also when somebody went away, whose project others had to make room
   * for.
   */
  #handOn(): void {
    while (this.#running < this.#options.slots) {
      const next = this.#waiting.next((projectId) => this.#mayRun(projectId));
      if (!next) return;
      next.enter();
    }
  }
}

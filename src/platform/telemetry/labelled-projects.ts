/** After this long without a request, a project's label may go to another. */
const IDLE_MS = 3_600_000;

/**
 * The projects that metrics name: the first in use, up to a bound. When all labels are taken, a newcomer gets that of a
 * project which was idle for an hour; else it counts among the others, so that no project's counter ever goes back.
 */
export class LabelledProjects {
  /** When each was last seen, in monotonic milliseconds; the longest idle first. */
  readonly #seen = new Map<string, number>();
  readonly #max: number;
  readonly #forget: (projectId: string) => void;

  /** @param forget removes what metrics have of a project. */
  constructor(max: number, forget: (projectId: string) => void) {
    this.#max = max;
    this.#forget = forget;
  }

  /** The project's id, or `other`. */
  labelOf(projectId: string, now = performance.now()): string {
    if (!this.#seen.delete(projectId) && this.#seen.size >= this.#max && !this.#makeRoom(now)) return 'other';
    this.#seen.set(projectId, now);
    return projectId;
  }

  #makeRoom(now: number): boolean {
    for (const [projectId, at] of this.#seen) {
      if (now - at < IDLE_MS) return false;
      this.#seen.delete(projectId);
      this.#forget(projectId);
      return true;
    }
    return false;
  }
}

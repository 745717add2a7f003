import { overloaded } from '../../base/errors.js';

/** The bytes of one request. */
export interface ReservedBytes {
  /** @throws ApiError overloaded when there is no room for them. */
  add: (bytes: number) => void;
  /** Counts bytes without a check. */
  force: (bytes: number) => void;
  release: () => void;
}

/**
 * A project may hold three times what stays free: three quarters of all when it is alone, three sevenths each when
 * there are two. There is always room for one more project (dynamic thresholds, Choudhury and Hahne 1998).
 */
const TIMES_FREE = 3;

/** Limits the bytes of all requests in flight: bodies until they are answered, large answers until they are sent. */
export class InFlightBytes {
  readonly #max: number;
  readonly #byProject = new Map<string, number>();
  #held = 0;
  #refused = 0;

  constructor(max: number) {
    this.#max = max;
  }

  stats(): { held: number; refused: number } {
    return { held: this.#held, refused: this.#refused };
  }

  hold(projectId: string): ReservedBytes {
    let requestBytes = 0;
    const force = (bytes: number): void => {
      requestBytes += bytes;
      this.#count(projectId, bytes);
    };
    return {
      add: (bytes) => {
        const free = this.#max - this.#held - bytes;
        // A request that is alone is let in whatever its size, or it could never be answered.
        if (this.#held > requestBytes && (this.#byProject.get(projectId) ?? 0) + bytes > TIMES_FREE * free) {
          this.#refused++;
          throw overloaded();
        }
        force(bytes);
      },
      force,
      release: () => {
        this.#count(projectId, -requestBytes);
        requestBytes = 0;
      },
    };
  }

  #count(projectId: string, bytes: number): void {
    this.#held += bytes;
    const all = (this.#byProject.get(projectId) ?? 0) + bytes;
    if (all === 0) this.#byProject.delete(projectId);
    else this.#byProject.set(projectId, all);
  }
}

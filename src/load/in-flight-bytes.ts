import { overloaded } from '../errors.js';

/** Bytes that one request has in hand. */
export interface HeldBytes {
  /** @throws ApiError overloaded when others hold so much that these find no room. */
  add: (bytes: number) => void;
  /** Counts what is there already, whatever the others hold. */
  force: (bytes: number) => void;
  release: () => void;
}

/**
 * A project may hold so many times what would still be free beside it: three quarters when it is alone, three sevenths
 * when there are two, and there is always room for one more (dynamic thresholds, Choudhury and Hahne 1998).
 */
const TIMES_FREE = 3;

/**
 * Bounds the bytes that all requests together have in hand: bodies until they are answered, answers until they are
 * taken.
 */
export class InFlightBytes {
  readonly #max: number;
  readonly #ofProjects = new Map<string, number>();
  #held = 0;
  #refused = 0;

  constructor(max: number) {
    this.#max = max;
  }

  stats(): { held: number; refused: number } {
    return { held: this.#held, refused: this.#refused };
  }

  hold(projectId: string): HeldBytes {
    let own = 0;
    const force = (bytes: number): void => {
      own += bytes;
      this.#count(projectId, bytes);
    };
    return {
      add: (bytes) => {
        const free = this.#max - this.#held - bytes;
        // What is alone is let in however large it is, or it could never be.
        if (this.#held > own && (this.#ofProjects.get(projectId) ?? 0) + bytes > TIMES_FREE * free) {
          this.#refused++;
          throw overloaded();
        }
        force(bytes);
      },
      force,
      release: () => {
        this.#count(projectId, -own);
        own = 0;
      },
    };
  }

  #count(projectId: string, bytes: number): void {
    this.#held += bytes;
    const all = (this.#ofProjects.get(projectId) ?? 0) + bytes;
    if (all === 0) this.#ofProjects.delete(projectId);
    else this.#ofProjects.set(projectId, all);
  }
}

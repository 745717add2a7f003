import { overloaded } from '../errors.js';

/** Bytes that one request has in hand. */
export interface HeldBytes {
  /** @throws ApiError overloaded when others hold so much that these find no room. */
  add: (bytes: number) => void;
  /** Counts what is there already, whatever the others hold. */
  force: (bytes: number) => void;
  release: () => void;
}

/** Bounds the bytes that all requests together have in hand: bodies until they are answered, answers until they are taken. */
export class ByteBudget {
  readonly #most: number;
  #held = 0;
  #refused = 0;

  constructor(most: number) {
    this.#most = most;
  }

  stats(): { held: number; refused: number } {
    return { held: this.#held, refused: this.#refused };
  }

  hold(): HeldBytes {
    let own = 0;
    const force = (bytes: number): void => {
      own += bytes;
      this.#held += bytes;
    };
    return {
      add: (bytes) => {
        // What is alone is let in however large it is, or it could never be.
        if (this.#held > own && this.#held + bytes > this.#most) {
          this.#refused++;
          throw overloaded();
        }
        force(bytes);
      },
      force,
      release: () => {
        this.#held -= own;
        own = 0;
      },
    };
  }
}

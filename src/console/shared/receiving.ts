import { overloaded } from '../../base/errors.js';

/** Large forms and files that are received at once: of a user, and of all. A file takes 64 MiB of the disk at most. */
const MAX_OF_USER = 2;
const MAX_OF_ALL = 32;

/** Bounds who sends large forms. Each has half a minute (http/server.ts), so that one that stalls is cut off. */
export class Receiving {
  readonly #users: string[] = [];

  /** @throws ApiError overloaded */
  async run<Result>(user: string, receive: () => Promise<Result>): Promise<Result> {
    if (this.#users.length >= MAX_OF_ALL || this.#users.filter((other) => other === user).length >= MAX_OF_USER)
      throw overloaded();
    this.#users.push(user);
    try {
      return await receive();
    } finally {
      this.#users.splice(this.#users.indexOf(user), 1);
    }
  }
}

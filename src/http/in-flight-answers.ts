import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The answer that each connection waits for, the last where its caller sends several requests at once. A look at all of
 * them every other second costs nothing, where listeners and a timer for each answer took as long as a tenth of
 * answering from the cache.
 */
export class InFlightAnswers {
  readonly #latest = new Map<Socket, ServerResponse>();
  /** When it was first seen that an answer is given and not yet taken, in monotonic milliseconds. */
  readonly #givenSince = new WeakMap<ServerResponse, number>();
  readonly #takenWithin: number;
  readonly #timer: NodeJS.Timeout;
  #draining = false;

  /**
   * @param takenWithin Node has deadlines for what comes in, none for an answer that is taken a byte at a time and kept
   * in memory meanwhile: such a connection is ended after so many milliseconds.
   */
  constructor(takenWithin: number, checkedEvery: number) {
    this.#takenWithin = takenWithin;
    this.#timer = setInterval(() => {
      this.#check();
    }, checkedEvery).unref();
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (this.#draining) sayLast(response);
    this.#latest.set(request.socket, response);
  }

  /** From now on every answer says that it is the last of its connection, those under way too. */
  drain(): void {
    this.#draining = true;
    this.#latest.forEach(sayLast);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const [socket, response] of this.#latest) {
      if (response.closed) {
        this.#latest.delete(socket);
      } else if (response.writableEnded) {
        const since = this.#givenSince.get(response) ?? now;
        this.#givenSince.set(response, since);
        if (now - since > this.#takenWithin) response.destroy();
      }
    }
  }
}

function sayLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

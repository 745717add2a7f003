import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The answer in flight on each connection; the last one, when a caller sends several requests at once. All are checked
 * every two seconds, which costs nothing. Listeners and a timer for each answer took a tenth of the time of an answer
 * from the cache.
 */
export class InFlightAnswers {
  readonly #latest = new Map<Socket, ServerResponse>();
  /** When a check first saw an answer begun but not yet sent, in monotonic milliseconds. */
  readonly #begunAt = new WeakMap<ServerResponse, number>();
  readonly #maxSendMs: number;
  readonly #timer: NodeJS.Timeout;
  #draining = false;

  /**
   * @param maxSendMs ends the connection of a caller that reads its answer byte by byte and keeps it in memory. Node
   * has deadlines for requests only.
   */
  constructor(maxSendMs: number, checkedEvery: number) {
    this.#maxSendMs = maxSendMs;
    this.#timer = setInterval(() => {
      this.#check();
    }, checkedEvery).unref();
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (this.#draining) announceLast(response);
    this.#latest.set(request.socket, response);
  }

  /** From now on every answer, also one in flight, says that it is the last on its connection. */
  drain(): void {
    this.#draining = true;
    this.#latest.forEach(announceLast);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const [socket, response] of this.#latest) {
      if (response.closed) {
        this.#latest.delete(socket);
      } else if (response.headersSent) {
        const since = this.#begunAt.get(response) ?? now;
        this.#begunAt.set(response, since);
        if (now - since > this.#maxSendMs) response.destroy();
      }
    }
  }
}

function announceLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

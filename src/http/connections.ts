import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { randomUUID } from 'node:crypto';

/**
 * The answer in flight on each connection; the last one, when a caller sends several requests at once. All are checked
 * every two seconds, which costs nothing. Listeners and a timer for each answer took a tenth of a cached answer's time.
 */
export class InFlightAnswers {
  readonly #latest = new Map<Socket, ServerResponse>();
  /** When a check first saw an answer begun but not yet sent, in monotonic milliseconds. */
  readonly #begunAt = new WeakMap<ServerResponse, number>();
  readonly #maxSendMs: number;
  readonly #timer: NodeJS.Timeout;
  #draining = false;

  /** @param maxSendMs ends the connection of a caller that reads its answer byte by byte: Node has no such deadline */
  constructor(maxSendMs: number, checkedEvery: number) {
    this.#maxSendMs = maxSendMs;
    this.#timer = setInterval(() => this.#check(), checkedEvery).unref();
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
    for (const [socket, response] of this.#latest)
      if (response.closed) {
        this.#latest.delete(socket);
      } else if (response.headersSent) {
        const since = this.#begunAt.get(response) ?? now;
        this.#begunAt.set(response, since);
        if (now - since > this.#maxSendMs) response.destroy();
      }
  }
}

function announceLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/** A query of 2,000 characters, each nine bytes as a percent-encoded parameter, is 18 kB; Node's default is 16. */
export const MAX_HEADER_BYTES = 65_536;

/** The status and message for codes of Node's parser. */
const REFUSALS: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `The request's head is larger than ${MAX_HEADER_BYTES} bytes.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not come to its end in time.'],
  HPE_INVALID_URL: ['400 Bad Request', 'The url of the request has a character that must be percent-encoded.'],
};
const REFUSAL = ['400 Bad Request', 'This is not a request of HTTP/1.1.'] as const;

/**
 * Bytes that are no HTTP request never reach the app. They are answered with an error in the API's form, and the
 * connection ends. A connection that has carried bytes of an answer ends without one: it could fall into the middle.
 */
export function answerMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET' || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const [status, message] = REFUSALS[error.code ?? ''] ?? REFUSAL;
  const body = JSON.stringify({ error: { code: 'invalid_request', message } });
  socket.end(
    `HTTP/1.1 ${status}\r\nX-Request-Id: ${randomUUID()}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

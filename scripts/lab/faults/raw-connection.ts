import { connect, type Socket } from 'node:net';

/** An answer as far as a judge of load needs it. */
export interface QuickAnswer {
  /** 0: the connection ended without one. */
  status: number;
  retryAfter: string | undefined;
}

const NONE: QuickAnswer = { status: 0, retryAfter: undefined };

/**
 * A kept-alive connection that carries one request after the other. Node's own client costs more than what it would
 * measure here: most answers are refusals that the server makes in a tenth of a millisecond.
 */
export class RawConnection {
  readonly #socket: Socket;
  #received = '';
  #answered: ((answer: QuickAnswer) => void) | undefined;
  /** Whether it can carry no request any more. */
  ended = false;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect(Number(port), hostname);
    this.#socket.setNoDelay(true);
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text: string) => {
      this.#read(text);
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      this.ended = true;
      this.#settle(NONE);
    });
  }

  /** The whole request as bytes; resolves with its answer, whatever becomes of it. */
  send(bytes: string): Promise<QuickAnswer> {
    if (this.ended) return Promise.resolve(NONE);
    return new Promise((done) => {
      this.#answered = done;
      this.#socket.write(bytes, 'latin1');
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = this.#received.slice(0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < end + 4 + length) return;
    this.#received = this.#received.slice(end + 4 + length);
    this.#settle({ status: Number(head.slice(9, 12)), retryAfter: /\r\nretry-after: ([^\r]+)/i.exec(head)?.[1] });
  }

  #settle(answer: QuickAnswer): void {
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.(answer);
  }
}

/** A POST of JSON text that is ASCII, as bytes. */
export function postRequest(path: string, key: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: overload\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

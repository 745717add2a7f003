import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { until } from './until.js';

/** PostgreSQL's protocol by the message, on a Unix socket: for clients that stop in the middle of a query. */
export class WireClient {
  readonly #socket: Socket;
  #buffer = Buffer.alloc(0);
  /** Messages received so far: type and body. */
  readonly received: { type: string; body: Buffer }[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#read(chunk);
    });
    socket.on('error', () => undefined);
  }

  /** Connects to the embedded database with this url. */
  static async connect(url: string): Promise<WireClient> {
    const socket = connect(`${new URL(url.replace('@/', '@host/')).searchParams.get('host') ?? ''}/.s.PGSQL.5432`);
    await once(socket, 'connect');
    const client = new WireClient(socket);
    const body = Buffer.concat([int32(196_608), Buffer.from('user\0postgres\0database\0postgres\0\0')]);
    await client.write(Buffer.concat([int32(body.length + 4), body]));
    await client.ready(1);
    return client;
  }

  /** Resolves when the kernel has taken the bytes. */
  write(bytes: Buffer): Promise<void> {
    return new Promise((done) =>
      this.#socket.write(bytes, () => {
        done();
      }),
    );
  }

  /** Resolves when the server has been ready for a query so many times. */
  ready(times: number): Promise<void> {
    return this.has('Z', times);
  }

  has(type: string, times: number): Promise<void> {
    return until(`${times} messages ${type} came`, () => this.count(type) >= times);
  }

  count(type: string): number {
    return this.received.filter((message) => message.type === type).length;
  }

  /** The first column of all rows, and the texts of all errors. */
  answers(): string[] {
    return this.received.flatMap(({ type, body }) => {
      if (type === 'D') return [body.subarray(6, 6 + body.readInt32BE(2)).toString()];
      return type === 'E' ? [`error: ${body.toString().replaceAll('\0', ' ')}`] : [];
    });
  }

  /** Closes the socket at once, as when the process of a client is killed. */
  die(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    while (this.#buffer.length >= 5 && this.#buffer.length > this.#buffer.readInt32BE(1)) {
      const length = this.#buffer.readInt32BE(1);
      this.received.push({
        type: String.fromCharCode(this.#buffer[0] ?? 0),
        body: this.#buffer.subarray(5, 1 + length),
      });
      this.#buffer = this.#buffer.subarray(1 + length);
    }
  }
}

export const simpleQuery = (sql: string): Buffer => message('Q', text(sql));
export const parse = (sql: string): Buffer => message('P', text(''), text(sql), int16(0));
export const bind = (...values: string[]): Buffer =>
  message(
    'B',
    text(''),
    text(''),
    int16(0),
    int16(values.length),
    ...values.flatMap((v) => [int32(Buffer.byteLength(v)), Buffer.from(v)]),
    int16(0),
  );
export const execute = (): Buffer => message('E', text(''), int32(0));
export const flush = (): Buffer => message('H');
export const sync = (): Buffer => message('S');

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

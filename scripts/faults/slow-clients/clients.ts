import { connect, type Socket } from 'node:net';

/** The ways in which a caller is slow. */
export const SLOWNESS = {
  silent: 'connects and sends nothing',
  head: 'sends a head a byte at a time',
  body: 'sends a body a byte at a time',
  vanished: 'sends a head that announces a body, and nothing more',
  deaf: 'asks for a large answer and reads nothing of it',
  sipping: 'asks for a large answer and reads little of it at a time',
  idle: 'asks once and keeps the connection',
} as const;

export type Slowness = keyof typeof SLOWNESS;

export interface SlowClient {
  /**
   * Resolves when the connection ends. `after`: the milliseconds for which the server kept it, for `idle` since the
   * answer. `status`: that of the answer, 0 for none.
   */
  ended: Promise<{ after: number; status: number; bytes: number }>;
  /** Reads all from now on. A `deaf` client, which reads nothing, would not notice the end. */
  listen(): void;
}

export interface SlowOptions {
  url: string;
  key: string;
  /** Milliseconds between two bits that are sent or read. */
  everyMs: number;
  /** A body for /v1/retrieve that is answered with more than a socket's buffers hold. */
  largeQuestion: string;
}

const SIP_BYTES = 512;

export function startSlowClient(slowness: Slowness, { url, key, everyMs, largeQuestion }: SlowOptions): SlowClient {
  const { hostname, port } = new URL(url);
  let since = performance.now();
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  let head = '';
  let bytes = 0;
  const take = (chunk: Buffer): void => {
    if (slowness === 'idle') since = performance.now();
    bytes += chunk.length;
    if (head.length < 16) head += chunk.toString('latin1', 0, 16);
  };
  const listen = (): void => {
    slowly = undefined;
    // A listener to 'readable' keeps data from flowing.
    socket.removeAllListeners('readable').on('data', take).resume();
  };
  const post = (path: string, body: string, length = body.length): string =>
    `POST ${path} HTTP/1.1\r\nHost: slow\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${length}\r\n\r\n${body}`;
  let slowly: (() => void) | undefined;
  const timer = setInterval(() => slowly?.(), everyMs);
  socket.once('connect', () => {
    slowly = () => {
      moveOn(slowness, socket, take);
    };
    socket.setNoDelay(true);
    if (slowness === 'head') socket.write('GET /healthz HTTP/1.1\r\nX-Slow: ');
    if (slowness === 'body') socket.write(post('/v1/suggest', '{"path": "/', 10_000));
    if (slowness === 'vanished') socket.write(post('/v1/suggest', '', 10_000));
    if (slowness === 'idle') socket.write('GET /healthz HTTP/1.1\r\nHost: slow\r\n\r\n');
    if (slowness === 'deaf' || slowness === 'sipping') socket.write(post('/v1/retrieve', largeQuestion));
    if (slowness === 'deaf') return;
    if (slowness === 'sipping') socket.pause().on('readable', () => undefined);
    else listen();
  });
  const ended = new Promise<{ after: number; status: number; bytes: number }>((done) => {
    socket.once('close', () => {
      clearInterval(timer);
      done({ after: performance.now() - since, status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), bytes });
    });
  });
  return { ended, listen };
}

function moveOn(slowness: Slowness, socket: Socket, take: (chunk: Buffer) => void): void {
  if (slowness === 'head' || slowness === 'body') socket.write('s');
  if (slowness !== 'sipping') return;
  const sip = socket.read(SIP_BYTES) as Buffer | null;
  if (sip) take(sip);
}

import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OperatorError } from '../errors.js';
import type { Leaving } from './leaving.js';

const OPTIONS = {
  // Longer than load balancers keep theirs, so that they close first.
  keepAliveTimeout: 65_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // A query of 2,000 characters, each nine bytes as a percent-encoded parameter, is 18 kB; Node's default is 16.
  maxHeaderSize: 65_536,
};

export interface HttpServer {
  /** http://host:port */
  url: string;
  /** Stops accepting and resolves when what is in flight is answered, or cut off after five seconds. */
  stop(): Promise<void>;
}

/** @throws OperatorError when the address is taken or not ours. */
export async function startServer(app: RequestListener, port: number, host: string, leaving: Leaving): Promise<HttpServer> {
  const closing = new AbortController();
  const serve = withLastAnswers(app, closing.signal);
  const server = createServer(OPTIONS, serve);
  server.on('clientError', refuse);
  // Whatever a caller expects of us, it gets what we do (Node would answer 417 by itself).
  server.on('checkExpectation', serve);
  await listen(server, port, host);
  return {
    url: urlOf(server),
    stop: async () => {
      await acceptQueued(server);
      const closed = close(server, leaving.begun ? IDLE_FOR_MS : 0);
      // Only now: who is told that a connection ends makes another one, which must not be the last that is accepted.
      closing.abort();
      await closed;
    },
  };
}

/** Once the server closes, every answer says that it is the last of its connection, those under way too. */
function withLastAnswers(app: RequestListener, closing: AbortSignal): RequestListener {
  const underWay = new Set<ServerResponse>();
  const last = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  closing.addEventListener('abort', () => {
    underWay.forEach(last);
  });
  return (request, response) => {
    if (closing.aborted) last(response);
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    app(request, response);
  };
}

/**
 * What is no request never reaches the app; it is answered in the same form, and the connection ends. On a connection
 * that has carried an answer before it ends without another, which might fall into the middle of one.
 */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET' || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const [status, message] = refusalOf(error.code);
  const body = JSON.stringify({ error: { code: 'invalid_request', message } });
  socket.end(
    `HTTP/1.1 ${status}\r\nX-Request-Id: ${randomUUID()}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function refusalOf(code = ''): [status: string, message: string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return ['431 Request Header Fields Too Large', `The request's head is larger than ${OPTIONS.maxHeaderSize} bytes.`];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', 'The request did not come to its end in time.'];
    default:
      return ['400 Bad Request', 'This is not a request of HTTP/1.1.'];
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', (error) => {
      failed(new OperatorError(`The service cannot listen on ${host}, port ${port}: ${error.message}`, { cause: error }));
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      done();
    });
  });
}

/** More than the kernel queues for us (511, as Node asks it to). */
const MOST_QUEUED = 1_000;

/**
 * To its caller a connection is made when the kernel queues it; those that are queued when the server closes are reset.
 * Node takes one of them in each turn of its loop: when a turn brought none, the queue is empty.
 */
async function acceptQueued(server: Server): Promise<void> {
  let accepted = 0;
  const count = (): void => { accepted++; };
  server.on('connection', count);
  for (let turn = 0, before = -1; turn < MOST_QUEUED && accepted > before; turn++) {
    before = accepted;
    await nextTurn();
  }
  server.off('connection', count);
}

/** In this time a busy client sends its next request on a connection, and is answered that it was the last. */
const IDLE_FOR_MS = 500;

/**
 * Idle keep-alive connections would hold `close` up for ever (Express issue 4789), and so would those that fall idle.
 * @param idleMs how long they are left alone yet: a request may be on its way on each of them.
 */
function close(server: Server, idleMs: number): Promise<void> {
  return new Promise((done) => {
    const from = performance.now() + idleMs;
    const sweep = setInterval(() => {
      if (performance.now() >= from) server.closeIdleConnections();
    }, 20);
    // That of http would close idle connections by itself, at once.
    NetServer.prototype.close.call(server, () => {
      clearInterval(sweep);
      done();
    });
    setTimeout(() => {
      server.closeAllConnections();
    }, 5_000).unref();
  });
}

function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

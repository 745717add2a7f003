import { createServer, type RequestListener, type Server } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OperatorError } from '../errors.js';
import { InFlightAnswers } from './in-flight-answers.js';
import type { Drain } from './drain.js';
import { MAX_HEADER_BYTES, answerClientError } from './client-error.js';

/** What each thing on a connection may take, in milliseconds. */
export interface Deadlines {
  /** Nothing at all between two requests. Longer than load balancers keep theirs, so that they close first. */
  idle: number;
  /** A request's head, from the connection's first moment. */
  head: number;
  /** A whole request. */
  request: number;
  /** A caller that takes nothing of its answer. Longer than `request`, whose end is told with a 408. */
  stalledAnswer: number;
  /** A caller that takes it bit by bit. */
  answer: number;
  /** How late these may be noticed: Node looks through its connections this often, of itself each 30 s. */
  checkedEvery: number;
}

export const DEADLINES: Deadlines = {
  idle: 65_000,
  head: 10_000,
  request: 30_000,
  stalledAnswer: 40_000,
  answer: 60_000,
  checkedEvery: 2_000,
};

/**
 * Connections that the kernel keeps until they are accepted (it takes the lesser of this and net.core.somaxconn).
 * Node's own 511 overflow in a rush of callers, and those left out knock again only after 1, 3, 7, 15 and 31 seconds.
 */
const CONNECTIONS_WAITING = 4_096;

export interface HttpServer {
  /** http://host:port */
  url: string;
  /** Stops accepting and resolves when what is in flight is answered, or cut off after five seconds. */
  stop(): Promise<void>;
}

/** @throws OperatorError when the address is taken or not ours. */
export async function startServer(
  app: RequestListener,
  port: number,
  host: string,
  drain: Drain,
  deadlines = DEADLINES,
): Promise<HttpServer> {
  const answers = new InFlightAnswers(deadlines.answer, deadlines.checkedEvery);
  const serve: RequestListener = (request, response) => {
    answers.add(request, response);
    app(request, response);
  };
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: deadlines.idle,
      headersTimeout: deadlines.head,
      requestTimeout: deadlines.request,
      connectionsCheckingInterval: deadlines.checkedEvery,
    },
    serve,
  );
  // Nothing comes and nothing goes: Node ends the connection.
  server.timeout = deadlines.stalledAnswer;
  server.on('clientError', answerClientError);
  // Whatever a caller expects of us, it gets what we do (Node would answer 417 by itself).
  server.on('checkExpectation', serve);
  await listen(server, port, host);
  return {
    url: urlOf(server),
    stop: async () => {
      await acceptQueued(server);
      const closed = close(server, drain.begun ? IDLE_FOR_MS : 0);
      // Only now: who is told that a connection ends makes another one, which must not be the last that is accepted.
      answers.drain();
      await closed;
      answers.stop();
    },
  };
}

/** @throws OperatorError when the address is taken or not ours now. */
export async function checkPort(port: number, host: string): Promise<void> {
  if (port === 0) return;
  const probe = new NetServer();
  await listen(probe, port, host);
  await new Promise((done) => probe.close(done));
}

function listen(server: NetServer, port: number, host: string): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', (error) => {
      const reason =
        (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
          ? 'another process does. Stop it, or set PORT to a free one (0 takes any).'
          : error.message;
      failed(new OperatorError(`The service cannot listen on HOST ${host}, PORT ${port}: ${reason}`, { cause: error }));
    });
    server.listen({ port, host, backlog: CONNECTIONS_WAITING }, () => {
      server.removeAllListeners('error');
      done();
    });
  });
}

/**
 * To its caller a connection is made when the kernel queues it; those that are queued when the server closes are reset.
 * Node takes one of them in each turn of its loop: when a turn brought none, the queue is empty.
 */
async function acceptQueued(server: Server): Promise<void> {
  let accepted = 0;
  const count = (): void => {
    accepted++;
  };
  server.on('connection', count);
  for (let turn = 0, before = -1; turn < CONNECTIONS_WAITING && accepted > before; turn++) {
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

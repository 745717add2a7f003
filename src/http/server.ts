import { createServer, type RequestListener, type Server, IncomingMessage, ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Express } from 'express';
import { codeOf, OperatorError } from '../base/errors.js';
import { InFlightAnswers, MAX_HEADER_BYTES, answerMalformedRequest } from './connections.js';

/** All deadlines are milliseconds. */
export const DEADLINES = {
  /** Between two requests a connection waits longer than load balancers do, so that they close it first. */
  idle: 65_000,
  /** A request's head has this long, counted from the start of the connection. */
  head: 10_000,
  /** A whole request has this long. */
  request: 30_000,
  /** A connection without traffic has this long: longer than `request`, which is answered 408. */
  stalledAnswer: 40_000,
  /** A caller may read an answer bit by bit for this long. */
  answer: 60_000,
  /** Node checks connections so often; its own default is 30 s. */
  checkedEvery: 2_000,
};
export type Deadlines = typeof DEADLINES;

/**
 * The kernel queues so many connections until they are accepted (the smaller of this and net.core.somaxconn). Node's
 * default of 511 overflows in a rush of callers. Those left out retry only after 1, 3, 7, 15 and 31 seconds.
 */
const MAX_QUEUED_CONNECTIONS = 4_096;

export interface HttpServer {
  /** The address is http://host:port. */
  url: string;
  /** Stops accepting. Resolves when requests in flight are answered, or cut off after five seconds. */
  stop(): Promise<void>;
}

/**
 * @param more `setting`: where the port comes from. `classes`: of requests and answers, where not Node's own.
 * @throws OperatorError when the address is taken or not ours.
 */
export async function startServer(
  app: RequestListener,
  port: number,
  host: string,
  drain: Drain,
  deadlines = DEADLINES,
  more: { setting?: string; classes?: ExpressClasses } = {},
): Promise<HttpServer> {
  const answers = new InFlightAnswers(deadlines.answer, deadlines.checkedEvery);
  const serve: RequestListener = (request, response) => {
    answers.add(request, response);
    app(request, response);
  };
  const server = createServer(
    {
      ...more.classes,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: deadlines.idle,
      headersTimeout: deadlines.head,
      requestTimeout: deadlines.request,
      connectionsCheckingInterval: deadlines.checkedEvery,
    },
    serve,
  );
  server.timeout = deadlines.stalledAnswer;
  server.on('clientError', answerMalformedRequest);
  // Ignores the header Expect, which Node would answer 417.
  server.on('checkExpectation', serve);
  await listen(server, port, host, more.setting ?? 'PORT');
  return {
    url: urlOf(server),
    stop: async () => {
      await acceptQueued(server);
      const closed = close(server, drain.begun ? IDLE_GRACE_MS : 0);
      // Only after close: a caller notified that its connection ends opens another, which must not be accepted.
      answers.drain();
      await closed;
      answers.stop();
    },
  };
}

/** Tries whether a port is free. @throws OperatorError as {@link startServer} would. */
export async function checkPort(port: number, host: string, setting = 'PORT'): Promise<void> {
  if (port === 0) return;
  const trial = new NetServer();
  await listen(trial, port, host, setting);
  await new Promise((done) => trial.close(done));
}

function listen(server: NetServer, port: number, host: string, setting: string): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', (error) => {
      const taken = `another process does. Stop it, or set ${setting} to a free one (0 takes any).`;
      const reason = codeOf(error) === 'EADDRINUSE' ? taken : error.message;
      const message = `The service cannot listen on HOST ${host}, ${setting} ${port}: ${reason}`;
      failed(new OperatorError(message, { cause: error }));
    });
    server.listen({ port, host, backlog: MAX_QUEUED_CONNECTIONS }, () => {
      server.removeAllListeners('error');
      done();
    });
  });
}

/**
 * For its caller a connection exists when the kernel has queued it. Connections still queued when the server closes are
 * reset. Node accepts one in each turn of the event loop: after a turn without one, the queue is empty.
 */
async function acceptQueued(server: Server): Promise<void> {
  let accepted = 0;
  const count = (): number => accepted++;
  server.on('connection', count);
  for (let turn = 0, before = -1; turn < MAX_QUEUED_CONNECTIONS && accepted > before; turn++) {
    before = accepted;
    await nextTurn();
  }
  server.off('connection', count);
}

/** A busy client has this long to send another request on a connection, and to learn that it was the last. */
const IDLE_GRACE_MS = 500;

/**
 * Closes idle connections too, also later ones: `close` would wait for them for ever (Express issue 4789).
 * @param idleMs how long idle connections stay open: a request may be on its way.
 */
function close(server: Server, idleMs: number): Promise<void> {
  return new Promise((done) => {
    const from = performance.now() + idleMs;
    const sweep = setInterval(() => {
      if (performance.now() >= from) server.closeIdleConnections();
    }, 20);
    // http's own `close` would close idle connections at once.
    NetServer.prototype.close.call(server, () => {
      clearInterval(sweep);
      done();
    });
    setTimeout(() => server.closeAllConnections(), 5_000).unref();
  });
}

function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Node's server makes requests and answers of these classes. */
export interface ExpressClasses {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
}

/**
 * Makes requests and answers Express's own from the start. Express gives each the prototype of its own, and V8 keeps
 * an object whose prototype changes in a slow form: that took a quarter of a request's CPU
 * (docs/evidence/decisions/0084-events-share-jobs.md). With these classes Express finds the prototype that it wants.
 */
export function expressClasses(app: Express): ExpressClasses {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  app.request = Request.prototype as Express['request'];
  app.response = Response.prototype as Express['response'];
  return { IncomingMessage: Request, ServerResponse: Response as typeof ServerResponse };
}

/** Load balancers ask every second or two, and some act on the second answer only. */
const NOTICE_MS = 3_000;
/** When /readyz is read less often than this, no load balancer watches it. */
const MAX_CHECK_INTERVAL_MS = 60_000;

/**
 * A process drains without cutting a request off. A load balancer learns of the drain when it next reads /readyz, and
 * sends requests until then. They are served as usual; afterwards the server closes.
 */
export class Drain {
  /** Makes /readyz red. */
  begun = false;
  #readyAt = -Infinity;
  #previousReadyAt = -Infinity;

  /** Called when /readyz was green; two calls within {@link MAX_CHECK_INTERVAL_MS} mean that it is watched. */
  recordReady(): void {
    this.#previousReadyAt = this.#readyAt;
    this.#readyAt = performance.now();
  }

  /** Resolves when load balancers have had time to read /readyz; at once if none watches it. */
  async begin(): Promise<void> {
    this.begun = true;
    if (performance.now() - this.#previousReadyAt < MAX_CHECK_INTERVAL_MS) await pause(NOTICE_MS);
  }
}

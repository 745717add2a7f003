import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ApiError, ERROR_CATALOGUE, overloaded } from '../base/errors.js';
import type { Bulkhead } from '../platform/limits/bulkhead.js';

/** These are never queued or refused: operators request them when the service has too much to do. */
const OPERATOR_PATHS = /^\/(healthz|readyz|metrics)(\?|$)/;

/** @param arrivedAt in monotonic milliseconds. */
export type App = (request: IncomingMessage, response: ServerResponse, arrivedAt: number) => void;

/**
 * Begins as many requests in a turn of the event loop as there are slots. A request that cannot begin soon is refused
 * before any work. Lines take turns: the flood of a key delays and refuses itself, strangers' requests do together.
 *
 * In one turn Node reads everything that has come, but accepts one connection (libuv since 1.45, pull request 3696). A
 * turn that begins hundreds of requests is long, and callers without a connection wait for it. And when the CPU is
 * short, a refusal after admission, body and checks costs too much (docs/evidence/decisions/0032-admission-queue.md).
 *
 * @param lineOf the line of a request that has not been checked yet (admission.ts).
 * @param clock monotonic milliseconds.
 */
export function createAdmissionQueue(
  app: App,
  beginnings: Pick<Bulkhead, 'run'>,
  lineOf: (request: IncomingMessage) => string,
  clock = (): number => performance.now(),
): RequestListener {
  let turn: Promise<void> | undefined;
  const nextTurn = (): Promise<void> =>
    (turn ??= new Promise((done) => {
      setImmediate(() => {
        turn = undefined;
        done();
      });
    }));
  return (request, response) => {
    const since = clock();
    if (OPERATOR_PATHS.test(request.url ?? '')) {
      app(request, response, since);
      return;
    }
    const begin = (): Promise<void> => {
      // A caller that has gone gets no answer.
      if (!response.destroyed) app(request, response, since);
      return nextTurn();
    };
    beginnings.run(lineOf(request), begin).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      if (!response.destroyed) sendOverloaded(response);
    });
  };
}

const BODY = JSON.stringify({ error: { code: 'overloaded', message: ERROR_CATALOGUE.overloaded.message } });

function sendOverloaded(response: ServerResponse): void {
  response.writeHead(503, {
    ...overloaded().headers,
    'X-Request-Id': randomUUID(),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': BODY.length,
  });
  response.end(BODY);
}

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ERROR_CATALOGUE, overloaded } from '../errors.js';
import { QueueBound } from '../limits/queue-bound.js';

/** Requests are begun for so many milliseconds in each turn of the event loop. What they come to takes about as long again. */
const EACH_TURN_MS = 1;
/** A burst of a thousand takes half a second to begin; nobody waits longer than a burst may last. */
const WAITING = { inBurst: 1_024, standing: 1_024, burstMs: 5_000 };
/**
 * Of a load that lasts, nobody joins while the first in the queue has waited for so long. By time, not by length: two
 * hundred callers of cached answers, who come again at once, wait for less, and are none too many.
 */
const LATE_MS = 75;
/** What operators ask is never refused, and never waits behind what made them ask. */
const OPERATORS = /^\/(healthz|readyz|metrics)(\?|$)/;

export interface InTurns {
  listener: RequestListener;
  stats(): { waiting: number; refused: number };
}

/**
 * Begins few requests in each turn of the event loop, and refuses those that it could not begin soon before anything is
 * done for them.
 *
 * Node reads whatever has come in one turn, but accepts one connection (libuv since 1.45, pull request 3696). Where a turn
 * begins hundreds of requests it is long, and callers without a connection wait for one. And where the processor is what
 * is short, a refusal behind admission, body and checks costs too much.
 */
export function inTurns(app: RequestListener): InTurns {
  const waiting: { request: IncomingMessage; response: ServerResponse; since: number }[] = [];
  const bound = new QueueBound(WAITING);
  let refused = 0;
  const refuseOne = (response: ServerResponse): void => {
    refused++;
    refuse(response);
  };
  const isLate = (now: number): boolean => now - (waiting[0]?.since ?? now) > LATE_MS;
  const begin = (): void => {
    const began = performance.now();
    for (let next = waiting.shift(); next; next = performance.now() < began + EACH_TURN_MS ? waiting.shift() : undefined) {
      const { request, response, since } = next;
      // Its caller may have gone away meanwhile.
      if (response.destroyed) continue;
      if (began - since > WAITING.burstMs) refuseOne(response);
      else app(request, response);
    }
    if (waiting.length === 0) bound.emptied();
    else setImmediate(begin);
  };
  return {
    listener: (request, response) => {
      const since = performance.now();
      if (OPERATORS.test(request.url ?? '')) app(request, response);
      else if ((isLate(since) && bound.stands(since)) || !bound.join(waiting.length, since)) refuseOne(response);
      else if (waiting.push({ request, response, since }) === 1) setImmediate(begin);
    },
    stats: () => ({ waiting: waiting.length, refused }),
  };
}

const BODY = JSON.stringify({ error: { code: 'overloaded', message: ERROR_CATALOGUE.overloaded.message } });

function refuse(response: ServerResponse): void {
  response.writeHead(503, {
    ...overloaded().headers,
    'X-Request-Id': randomUUID(),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': BODY.length,
  });
  response.end(BODY);
}

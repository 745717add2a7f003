import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ERROR_CATALOGUE, overloaded } from '../errors.js';
import { FairQueue } from '../load/fair-queue.js';
import { Pace } from '../load/pace.js';
import { QueueBound } from '../load/queue-bound.js';
import { ARRIVED_AT } from './request-context.js';

/**
 * Requests are begun for so many milliseconds in each turn of the event loop. What they come to takes about as long
 * again.
 */
const EACH_TURN_MS = 1;
/** So many at most; fewer while searches are refused inside. */
const MOST_EACH_TURN = 32;
/** A burst of a thousand takes half a second to begin. */
const WAITING = { inBurst: 1_024, standing: 1_024, burstMs: 1_000 };
/** Who came in a burst waits for so long at most, and who came in a load that lasts. */
const PATIENCE_MS = { burst: 5_000, standing: 100 };
/**
 * Of a load that lasts, nobody joins while the first in the queue has waited for so long. By time, not by length: two
 * hundred callers of cached answers, who come again at once, wait for less, and are none too many.
 */
const LATE_MS = 75;
/** What operators ask is never refused, and never waits behind what made them ask. */
const OPERATORS = /^\/(healthz|readyz|metrics)(\?|$)/;

interface Waiting {
  request: IncomingMessage;
  response: ServerResponse;
  /** Whose request it is: what it says of its key, which is looked at only when it is begun. */
  line: string;
  since: number;
  until: number;
}

export interface InTurns {
  listener: RequestListener;
  stats(): { waiting: number; refused: number };
}

/**
 * Begins few requests in each turn of the event loop, and refuses those that it could not begin soon before anything is
 * done for them.
 *
 * Node reads whatever has come in one turn, but accepts one connection (libuv since 1.45, pull request 3696). Where a
 * turn begins hundreds of requests it is long, and callers without a connection wait for one. And where the processor
 * is what is short, a refusal behind admission, body and checks costs too much.
 *
 * Keys take turns, so that the flood of one makes itself late and is refused by itself.
 * @param refusals how many searches have been refused inside, for want of a place in their queue.
 */
export function inTurns(app: RequestListener, refusals: () => number): InTurns {
  const waiting = new FairQueue<Waiting>();
  const bound = new QueueBound(WAITING);
  let refused = 0;
  const refuseOne = (response: ServerResponse, now: number): void => {
    refused++;
    bound.refused(now);
    refuse(response);
  };
  const isLate = (line: string, now: number): boolean => now - (waiting.first(line)?.since ?? now) > LATE_MS;
  const findRoom = (line: string, now: number): boolean => {
    const displaced = waiting.size < WAITING.inBurst ? undefined : waiting.displacedBy(line);
    if (displaced) {
      waiting.delete(displaced.line, displaced);
      refuseOne(displaced.response, now);
    }
    return bound.join(waiting.size, now);
  };
  // Under ten times what the service can do, three of four refusals were made inside before there was a pace, each at
  // several times the cost, and their time was taken from searches.
  const pace = new Pace(MOST_EACH_TURN);
  const begin = (): void => {
    const now = performance.now();
    const mayBegin = pace.next(refusals());
    for (let begun = 0; begun < mayBegin && performance.now() < now + EACH_TURN_MS;) {
      const next = waiting.next();
      if (!next) break;
      // Its caller may have gone away meanwhile.
      if (next.response.destroyed) continue;
      if (now > next.until) {
        refuseOne(next.response, now);
        continue;
      }
      begun++;
      (next.request as { [ARRIVED_AT]?: number })[ARRIVED_AT] = next.since;
      app(next.request, next.response);
    }
    if (waiting.size === 0) bound.emptied();
    else setImmediate(begin);
  };
  return {
    listener: (request, response) => {
      const since = performance.now();
      const stands = bound.stands(since);
      const line = request.headers.authorization ?? '';
      if (OPERATORS.test(request.url ?? '')) app(request, response);
      else if ((stands && isLate(line, since)) || !findRoom(line, since)) refuseOne(response, since);
      else {
        waiting.add(line, {
          request,
          response,
          line,
          since,
          until: since + PATIENCE_MS[stands ? 'standing' : 'burst'],
        });
        if (waiting.size === 1) setImmediate(begin);
      }
    },
    stats: () => ({ waiting: waiting.size, refused }),
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

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ERROR_CATALOGUE, overloaded } from '../errors.js';
import { FairQueue } from '../load/fair-queue.js';
import { QueueBound } from '../load/queue-bound.js';

/** In each turn of the event loop requests are begun for so long. What they come to takes about as long again. */
const EACH_TURN_MS = 1;
const MAX_EACH_TURN = 32;
/** A burst of a thousand takes half a second to begin. */
const LENGTHS = { inBurst: 1_024, standing: 1_024, burstMs: 1_000 };
/** For how long who came in a burst waits at most, and who came in a load that lasts. */
const PATIENCE_MS = { burst: 5_000, standing: 100 };
/**
 * Of a load that lasts, nobody joins while the first in the queue has waited for so long. By time, not by length: two
 * hundred callers of cached answers, who come again at once, wait for less, and are none too many.
 */
const LATE_MS = 75;
/** What operators ask is never refused, and never waits behind what made them ask. */
const OPERATORS = /^\/(healthz|readyz|metrics)(\?|$)/;

/** Takes a request that arrived at this moment, in monotonic milliseconds. */
export type App = (request: IncomingMessage, response: ServerResponse, arrivedAt: number) => void;

interface Waiting {
  request: IncomingMessage;
  response: ServerResponse;
  /** Whose request it is: what it says of its key, which is looked at only when it is begun. */
  line: string;
  since: number;
  until: number;
}

export interface AdmissionQueue {
  listener: RequestListener;
  stats(): { waiting: number; refused: number };
}

/**
 * Begins few requests in each turn of the event loop, and refuses those that it could not begin soon before anything is
 * done for them. Keys take turns, so that the flood of one makes itself late and is refused by itself.
 *
 * Node reads whatever has come in one turn, but accepts one connection (libuv since 1.45, pull request 3696). Where a
 * turn begins hundreds of requests it is long, and callers without a connection wait for one. And where the processor
 * is what is short, a refusal behind admission, body and checks costs too much
 * (docs/decisions/0032-admission-queue.md).
 */
export function createAdmissionQueue(app: App): AdmissionQueue {
  const waiting = new FairQueue<Waiting>();
  const bound = new QueueBound(LENGTHS);
  let refused = 0;

  function refuse(response: ServerResponse, now: number): void {
    refused++;
    bound.refused(now);
    sendOverloaded(response);
  }

  function begin(): void {
    const now = performance.now();
    for (let begun = 0; begun < MAX_EACH_TURN && performance.now() < now + EACH_TURN_MS;) {
      const next = waiting.next();
      if (!next) break;
      // Its caller may have gone away meanwhile.
      if (next.response.destroyed) continue;
      if (now > next.until) {
        refuse(next.response, now);
        continue;
      }
      begun++;
      app(next.request, next.response, next.since);
    }
    if (waiting.size === 0) bound.emptied();
    else setImmediate(begin);
  }

  function isLate(line: string, now: number): boolean {
    return now - (waiting.first(line)?.since ?? now) > LATE_MS;
  }

  function findRoom(line: string, now: number): boolean {
    const displaced = waiting.size < LENGTHS.inBurst ? undefined : waiting.displacedBy(line);
    if (displaced) {
      waiting.delete(displaced.line, displaced);
      refuse(displaced.response, now);
    }
    return bound.join(waiting.size, now);
  }

  return {
    listener: (request, response) => {
      const since = performance.now();
      if (OPERATORS.test(request.url ?? '')) {
        app(request, response, since);
        return;
      }
      const stands = bound.stands(since);
      const line = request.headers.authorization ?? '';
      if ((stands && isLate(line, since)) || !findRoom(line, since)) {
        refuse(response, since);
        return;
      }
      const until = since + PATIENCE_MS[stands ? 'standing' : 'burst'];
      waiting.add(line, { request, response, line, since, until });
      if (waiting.size === 1) setImmediate(begin);
    },
    stats: () => ({ waiting: waiting.size, refused }),
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

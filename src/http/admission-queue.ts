import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ERROR_CATALOGUE, overloaded } from '../base/errors.js';
import { FairQueue } from '../platform/limits/fair-queue.js';
import { HoldBack } from '../platform/limits/hold-back.js';
import { QueueLimit } from '../platform/limits/queue-limit.js';

/** Requests are begun for this long in each turn of the event loop. What they cause takes about as long again. */
const MAX_TURN_MS = 1;
const MAX_BEGUN_EACH_TURN = 32;
/** A burst of a thousand takes half a second to begin. */
const LIMITS = { maxInBurst: 1_024, maxSustained: 1_024, burstMs: 1_000 };
/** For requests that came in a burst, and in a sustained load. */
const MAX_WAIT_MS = { burst: 5_000, sustained: 100 };
/**
 * In a sustained load, a request is refused when the head of its line has waited this long. A limit by length would
 * refuse two hundred callers of cached answers, who come again at once and wait for less than this.
 */
const MAX_HEAD_WAIT_MS = 75;
/** A line that is refused so often in a second waits for each further refusal: see {@link HoldBack}. */
const MAX_REFUSED_AT_ONCE = 100;
/** Never queued or refused: operators ask these when the service has too much to do. */
const OPERATOR_PATHS = /^\/(healthz|readyz|metrics)(\?|$)/;

/** @param arrivedAt in monotonic milliseconds. */
export type App = (request: IncomingMessage, response: ServerResponse, arrivedAt: number) => void;

interface Waiting {
  request: IncomingMessage;
  response: ServerResponse;
  /** As {@link createAdmissionQueue}'s `lineOf` says. */
  line: string;
  since: number;
  until: number;
}

export interface AdmissionQueue {
  listener: RequestListener;
  stats(): { waiting: number; refused: number };
}

/**
 * Begins few requests in each turn of the event loop. A request that it could not begin soon is refused before any
 * work. Lines take turns, so the flood of one key delays and refuses itself, and strangers' requests do together.
 *
 * In one turn Node reads everything that has come, but accepts one connection (libuv since 1.45, pull request 3696). A
 * turn that begins hundreds of requests is long, and callers without a connection wait for it. And when the CPU is
 * short, a refusal after admission, body and checks costs too much (docs/decisions/0032-admission-queue.md).
 *
 * @param lineOf the line of a request that has not been checked yet (admission.ts).
 * @param clock monotonic milliseconds.
 */
export function createAdmissionQueue(
  app: App,
  lineOf: (request: IncomingMessage) => string,
  clock = (): number => performance.now(),
): AdmissionQueue {
  const waiting = new FairQueue<Waiting>();
  const bound = new QueueLimit(LIMITS);
  let refused = 0;
  const late = new HoldBack();
  const lately = { since: -Infinity, byLine: new Map<string, number>() };

  function isFlood(line: string, now: number): boolean {
    if (now - lately.since > 1_000) {
      lately.since = now;
      lately.byLine.clear();
    }
    const count = (lately.byLine.get(line) ?? 0) + 1;
    lately.byLine.set(line, count);
    return count > MAX_REFUSED_AT_ONCE;
  }

  function refuse(line: string, response: ServerResponse, now: number): void {
    refused++;
    bound.refused(now);
    if (!isFlood(line, now)) {
      sendOverloaded(response);
      return;
    }
    const held = late.start();
    // So many wait that this one gets no answer at all.
    if (!held) response.destroy();
    void held?.then(() => {
      if (!response.destroyed) sendOverloaded(response);
    });
  }

  function begin(): void {
    const now = clock();
    for (let begun = 0; begun < MAX_BEGUN_EACH_TURN && clock() < now + MAX_TURN_MS;) {
      const next = waiting.next();
      if (!next) break;
      // Its caller has gone.
      if (next.response.destroyed) continue;
      if (now > next.until) {
        refuse(next.line, next.response, now);
        continue;
      }
      begun++;
      app(next.request, next.response, next.since);
    }
    if (waiting.size === 0) bound.emptied();
    else setImmediate(begin);
  }

  function isLate(line: string, now: number): boolean {
    return now - (waiting.first(line)?.since ?? now) > MAX_HEAD_WAIT_MS;
  }

  function findRoom(line: string, now: number): boolean {
    const displaced = waiting.size < LIMITS.maxInBurst ? undefined : waiting.displacedBy(line);
    if (displaced) {
      waiting.delete(displaced.line, displaced);
      refuse(displaced.line, displaced.response, now);
    }
    return bound.join(waiting.size, now);
  }

  return {
    listener: (request, response) => {
      const since = clock();
      if (OPERATOR_PATHS.test(request.url ?? '')) {
        app(request, response, since);
        return;
      }
      const sustained = bound.isSustained(since);
      const line = lineOf(request);
      if ((sustained && isLate(line, since)) || !findRoom(line, since)) {
        refuse(line, response, since);
        return;
      }
      const until = since + MAX_WAIT_MS[sustained ? 'sustained' : 'burst'];
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

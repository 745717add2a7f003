import type { Request } from 'express';
import { makeNotFound } from '../../events/read-event.js';
import { type AnswerOutcome } from '../../events/event-schema.js';
import type { Caller } from '../../projects/caller.js';
import { parseUrl } from '../../text/parse-url.js';
import type { DeadUrlAnswer } from './dead-url.js';
import { queueEvent, type EventDeps } from '../../events/routes.js';

export interface AnsweredVisit {
  found: DeadUrlAnswer;
  /** The url or path, as the caller had it. */
  asked: string;
  referrer: string | null;
  userAgent: string | null;
  request: Request;
}

/** Queues the 404 that was answered with `found`, with what became of it. */
export async function recordAnswer(
  deps: EventDeps,
  caller: Caller,
  { found, asked, referrer, userAgent, request }: AnsweredVisit,
  signal: AbortSignal,
): Promise<void> {
  const body = {
    raw_path: found.path,
    origin: parseUrl(asked.trim())?.origin ?? null,
    referrer,
    user_agent: userAgent,
    // Without a trusted proxy, the address is that of the server which asks.
    user_ip: request.ips.length > 0 ? request.ip : null,
    search_id: found.searchId,
    outcome: outcomeOf(found),
  };
  await queueEvent(deps, caller, makeNotFound(body, deps.eventIpMode), signal);
}

function outcomeOf({ best, answer }: DeadUrlAnswer): AnswerOutcome {
  if (best) return 'redirected';
  if (answer.isGone) return 'gone';
  return answer.suggestions.length > 0 ? 'suggested' : 'nothing';
}

import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import { readEvent, type VisitorEvent, type IpMode } from './read-event.js';
import { EVENT_SCHEMA } from './event-schema.js';
import type { Bulkheads } from '../platform/limits/bulkheads.js';
import type { InFlightBytes } from '../platform/limits/in-flight-bytes.js';
import type { EventIntake } from './event-intake.js';
import type { Caller } from '../projects/caller.js';
import type { Operation } from '../http/operation.js';
import { createBodyReader } from '../http/read-body.js';
import type { Route } from '../http/route.js';

export interface EventDeps {
  events: EventIntake;
  clock: Clock;
  eventIpMode: IpMode;
  eventRetentionDays: number;
  bulkheads: Bulkheads;
  bytes: InFlightBytes;
}

export const eventsOperation = {
  method: 'POST',
  path: '/v1/events',
  scope: 'read',
  id: 'sendEvent',
  summary: 'Takes a click on a suggestion, or a 404 that a visitor met.',
  description:
    'With `clicked_url` and `search_id` it is a click; with `raw_path` and neither of them, a 404. A 404 may name the search ' +
    'that answered it: it has `search_id` then, and one of `referrer`, `user_agent`, `user_ip`, `outcome` and `timestamp`, which may be null.',
  body: EVENT_SCHEMA,
  examples: {
    click: {
      summary: 'A visitor chose the first suggestion',
      value: {
        clicked_url: '/help/returns',
        clicked_rank: 1,
        raw_path: '/support/return-a-parcel',
        search_id: '507d2d7f-b6f1-4881-9f89-e3f184df2bc0',
      },
    },
    not_found: {
      summary: 'A visitor met a 404',
      value: {
        raw_path: '/support/return-a-parcel',
        referrer: 'https://search.example/',
        user_agent: 'Mozilla/5.0',
        user_ip: '203.0.113.7',
      },
    },
    answered: {
      summary: 'A 404 that was answered with suggestions',
      value: {
        raw_path: '/support/return-a-parcel',
        user_agent: 'Mozilla/5.0',
        search_id: '507d2d7f-b6f1-4881-9f89-e3f184df2bc0',
        outcome: 'suggested',
      },
    },
  },
  answers: { 204: { description: 'Durably queued.' } },
} satisfies Operation;

export function eventsRoute(deps: EventDeps): Route<VisitorEvent> {
  const readBody = createBodyReader(deps.bytes);
  return {
    ...eventsOperation,
    read: async (request, response) =>
      readEvent(await readBody(request, response), {
        ipMode: deps.eventIpMode,
        retentionDays: deps.eventRetentionDays,
        now: new Date(deps.clock.now()),
      }),
    handle: async ({ caller, input, response, gone }) => {
      await queueEvent(deps, caller, input, gone);
      response.status(204).end();
    },
  };
}

/** Resolves when the event is durably queued. @param eventId of several with one id, one is stored */
export async function queueEvent(
  { events, bulkheads, clock }: EventDeps,
  { projectId, keyId, isTest }: Caller,
  event: VisitorEvent,
  signal: AbortSignal | (() => AbortSignal),
  eventId: string = randomUUID(),
): Promise<void> {
  const receivedAt = new Date(clock.now()).toISOString();
  const payload = { eventId, projectId, keyId, isTest, receivedAt, event };
  await bulkheads.events.run(projectId, () => events.add(payload), signal);
}

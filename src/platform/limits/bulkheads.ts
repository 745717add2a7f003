import { Bulkhead } from './bulkhead.js';

/** A bulkhead for each kind of work. A full queue of one kind does not delay the others. */
export type Bulkheads = ReturnType<typeof createBulkheads>;

/** The connections that are left for admission, the search log and readiness. */
const RESERVED_CONNECTIONS = 2;

/**
 * Slots are about as many as connections: more searches would hold what they have found while they wait for one.
 *
 * A visitor waits for each search. A burst is served in full when that takes some seconds. In a sustained load, three
 * rounds of the slots wait. At ten times what the service can do, a search then takes two to three times its normal
 * time (scripts/lab/faults/overload.ts). And 32 callers that ask one question after the other are all served, also by
 * the embedded database on a slow machine; with a round and a half, twenty of them were refused in one run of twenty.
 *
 * Writes come from jobs that would only try again, so they are refused last.
 */
export function createBulkheads(connections: number, now?: () => number) {
  const slots = Math.max(1, connections - RESERVED_CONNECTIONS);
  return {
    // A slot is a request begun in this turn of the event loop. A limit by length would refuse two hundred callers
    // of cached answers, who come again at once and wait for less than 75 ms.
    beginnings: new Bulkhead({
      slots: 16,
      // A burst of a thousand takes half a second to begin.
      waiting: { maxInBurst: 1_024, maxSustained: 1_024, maxHeadWaitMs: 75, burstMs: 1_000 },
      maxWaitMs: 5_000,
      maxSustainedWaitMs: 100,
      maxRefusedAtOnce: 100,
      now,
    }),
    /** Searches of the index. An answer from the cache, or from another's search, needs no slot. */
    searches: new Bulkhead({
      slots,
      waiting: { maxInBurst: 256, maxSustained: 3 * slots, burstMs: 1_000 },
      maxWaitMs: 6_000,
    }),
    // Many upserts and deletes only wait for a commit, or for the end of other processes' leases.
    writes: new Bulkhead({
      slots: 2 * slots,
      waiting: { maxInBurst: 512, maxSustained: 512, burstMs: 1_000 },
      maxWaitMs: 10_000,
    }),
    // A slot is a place in a statement (src/events/event-intake.ts), not a connection.
    events: new Bulkhead({
      slots: 256,
      waiting: { maxInBurst: 512, maxSustained: 512, burstMs: 1_000 },
      maxWaitMs: 10_000,
    }),
    /** Look-ups of keys, which anybody can cause with a made-up key. */
    admissions: new Bulkhead({
      slots: Math.max(1, Math.floor(connections / 2)),
      waiting: { maxInBurst: 1_024, maxSustained: 256, burstMs: 5_000 },
      maxWaitMs: 6_000,
    }),
  };
}

import { Bulkhead } from './bulkhead.js';

/** What waits for the database, apart by kind, so that neither can keep the other from its turn. */
export interface Bulkheads {
  /** Searches of the index; what a cache answers, or shares another's search, needs no slot. */
  searches: Bulkhead;
  /** Upserts, deletes, events. */
  writes: Bulkhead;
  /** What is asked about keys, for which nobody had to know one. */
  admissions: Bulkhead;
}

/** Connections that searches leave to admission, the search log and readiness. */
const FOR_OTHERS = 2;

/**
 * About as many at once as there are connections: with more, they would wait for one another inside, each holding what
 * it has found so far. Searches have a visitor waiting: a burst is served in full when that takes some seconds, a load
 * that lasts is kept to three rounds of the slots. At ten times what the service can do, what is served then takes two
 * to three times as long as normally (scripts/faults/overload.ts); and 32 callers that ask one question after the other
 * are all served, on a slow machine's embedded database too: with a round and a half, twenty were refused one time in
 * twenty. Writes have a job waiting that would only come again, and are the last to be refused.
 */
export function createBulkheads(connections: number): Bulkheads {
  const slots = Math.max(1, connections - FOR_OTHERS);
  return {
    searches: new Bulkhead({
      slots,
      waiting: { inBurst: 256, standing: 3 * slots, burstMs: 1_000 },
      patienceMs: 6_000,
    }),
    // Many of them only wait for a commit, or until leases of other processes are over.
    writes: new Bulkhead({
      slots: 2 * slots,
      waiting: { inBurst: 512, standing: 512, burstMs: 1_000 },
      patienceMs: 10_000,
    }),
    admissions: new Bulkhead({
      slots: Math.max(1, Math.floor(connections / 2)),
      waiting: { inBurst: 1_024, standing: 256, burstMs: 5_000 },
      patienceMs: 6_000,
    }),
  };
}

import type { TokenGrant, TokenRequest } from './store/rate-buckets.js';

/**
 * A lease may be used for this long, counted from before its query was sent. A busy key asks the database forty times a
 * second instead of thousands of times. The upper limit: a revocation must take effect within a second, and a change of
 * an index waits for the leases of other processes (index-changes.ts).
 */
export const LEASE_MS = 25;

/** The database takes back tokens that were out for 100 ms at most, by its clock (db/functions/admit.sql). */
const MAX_OUT_MS = 60;
/** More than any process could use within a lease. */
const MAX_AHEAD = 10_000;
/** Tokens asked for ahead, per token used lately. Unused ones go back. */
const HEADROOM = 1.5;

/**
 * Tokens of one project's bucket that this process took ahead of the requests that will use them. All keys of the
 * project share them, as they share the bucket.
 *
 *     bucket ── grant ──► unused ── take ──► used
 *        ▲                   │ LEASE_MS are over
 *        └── ask, give back ─┴──► owed
 */
export class RateLease {
  #unused = 0;
  #until = 0;
  #grantedAt: Date | null = null;
  #owed = 0;
  #owedFrom: Date | null = null;
  /** The tokens that were left in the bucket at the last grant. */
  #inBucket = 0;
  /** The tokens that were used since the last request to the bucket. */
  #used = 0;
  #askedAt = -Infinity;

  /** Takes all or none. @returns false when there are fewer tokens, or the lease is over. */
  take(now: number, count = 1): boolean {
    if (this.#unused < count || now >= this.#until) return false;
    this.#unused -= count;
    // A batch says nothing of how many requests will come.
    if (count === 1) this.#used++;
    return true;
  }

  /** Takes back a token of an earlier grant that was not used after all; false when it was out for too long. */
  putBack(grantedAt: Date | null): boolean {
    if (!grantedAt || Number(this.#grantedAt) - Number(grantedAt) > MAX_OUT_MS) return false;
    this.#owed++;
    if (!this.#owedFrom || grantedAt < this.#owedFrom) this.#owedFrom = grantedAt;
    return true;
  }

  /** Tokens that are unused, in the bucket and here. */
  left(): number {
    return this.#inBucket + this.#unused + this.#owed;
  }

  /** Whether there are tokens to give back. */
  owes(now: number): boolean {
    return this.#owed > 0 || (this.#unused > 0 && now >= this.#until);
  }

  /**
   * Computes the request to the bucket: the tokens that requests wait for, and as many ahead as this process used
   * lately. `returnAll`: unused tokens go back though the lease is not over, so that a batch finds all that there are.
   */
  ask(now: number, waiting: number, returnAll = false): TokenRequest {
    if (returnAll || now >= this.#until) this.#retire();
    const elapsed = now - this.#askedAt;
    // A quiet project takes no tokens ahead: each of its requests asks, and reads the newest state.
    const expected = elapsed > 4 * LEASE_MS ? 0 : Math.floor((HEADROOM * this.#used * LEASE_MS) / Math.max(1, elapsed));
    this.#askedAt = now;
    this.#used = 0;
    const request = {
      waiting,
      ahead: Math.max(0, Math.min(MAX_AHEAD, expected) - Math.max(1, waiting)),
      returned: this.#owed,
      returnedFrom: this.#owedFrom,
    };
    // Even if the call fails: a token must not be given back twice.
    this.#owed = 0;
    this.#owedFrom = null;
    return request;
  }

  /** Holds the tokens granted to a query that was sent at `sentAt`. */
  grant({ granted, granted_at, tokens }: TokenGrant, sentAt: number): void {
    this.#retire();
    this.#inBucket = tokens;
    this.#unused = granted;
    this.#grantedAt = granted_at;
    this.#until = sentAt + LEASE_MS;
  }

  #retire(): void {
    if (this.#unused === 0) return;
    // The older moment of the two: the database takes back no token that was out for too long.
    this.#owedFrom ??= this.#grantedAt;
    this.#owed += this.#unused;
    this.#unused = 0;
  }
}

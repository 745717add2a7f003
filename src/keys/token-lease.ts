import type { TokenGrant, TokenRequest } from '../database/queries/admit.js';

/**
 * For how long what was read of a key and taken of a bucket may be used, in milliseconds since before it was asked
 * for. A busy key asks forty times a second instead of thousands. A revocation must be felt within a second, and who
 * changes an index waits for the leases of other processes (index-changes.ts).
 */
export const LEASE_MS = 25;

/** Never asked for ahead: more than any process could use within a lease. */
const MAX_AHEAD = 10_000;
/** Room for a little growth; what is not used goes back. */
const HEADROOM = 1.5;

/**
 * What this process holds of one project's bucket: tokens taken ahead of the requests that will use them. All keys of
 * the project share it, as they share the bucket.
 *
 *     bucket ── grant ──► unused ── take ──► used
 *        ▲                   │ LEASE_MS are over
 *        └── ask, give back ─┴──► owed
 */
export class TokenLease {
  #unused = 0;
  #until = 0;
  #grantedAt: Date | null = null;
  #owed = 0;
  #owedFrom: Date | null = null;
  /** Left in the bucket as of the last grant. */
  #inBucket = 0;
  /** Since the last ask. */
  #used = 0;
  #askedAt = -Infinity;

  /** Takes one token; false when there is none, or when its time is over. */
  take(now: number): boolean {
    if (this.#unused < 1 || now >= this.#until) return false;
    this.#unused--;
    this.#used++;
    return true;
  }

  /** Tokens that a caller may count on: those in the bucket and those taken for nobody yet. */
  left(): number {
    return this.#inBucket + this.#unused + this.#owed;
  }

  /** Whether the bucket should have something back. */
  owes(now: number): boolean {
    return this.#owed > 0 || (this.#unused > 0 && now >= this.#until);
  }

  /** What to ask the bucket for: a token for each waiting request, and as many ahead as this process used lately. */
  ask(now: number, waiting: number): TokenRequest {
    if (now >= this.#until) this.#retire();
    const elapsed = now - this.#askedAt;
    // One request a lease needs no token ahead: a quiet project is asked for each, and is told the newest each time.
    const expected = elapsed > 4 * LEASE_MS ? 0 : Math.floor((HEADROOM * this.#used * LEASE_MS) / Math.max(1, elapsed));
    this.#askedAt = now;
    this.#used = 0;
    const request = {
      waiting,
      ahead: Math.max(0, Math.min(MAX_AHEAD, expected) - Math.max(1, waiting)),
      returned: this.#owed,
      returnedFrom: this.#owedFrom,
    };
    // Whatever becomes of the call: a token that was given back twice would be one too many.
    this.#owed = 0;
    this.#owedFrom = null;
    return request;
  }

  /** Takes up what was granted to a call that was sent at `sentAt`. */
  grant({ granted, granted_at, tokens }: TokenGrant, sentAt: number): void {
    this.#retire();
    this.#inBucket = tokens;
    this.#unused = granted;
    this.#grantedAt = granted_at;
    this.#until = sentAt + LEASE_MS;
  }

  #retire(): void {
    if (this.#unused === 0) return;
    // The older of the two moments: the database takes nothing back that was out for too long.
    this.#owedFrom ??= this.#grantedAt;
    this.#owed += this.#unused;
    this.#unused = 0;
  }
}

import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Db } from '../platform/database/db.js';
import { admit as askDatabase, type TokenGrant, type TokenRequest } from './store/rate-buckets.js';
import { SCOPES, type Scope } from '../base/glossary.js';
import type { Bulkhead } from '../platform/limits/bulkhead.js';
import { LEASE_MS, RateLease } from './rate-lease.js';

/**
 * Admits requests, mostly without a query. A key lease holds what was read about a key: its project, its rights and the
 * version of its index. A token lease holds tokens of the project's bucket (rate-lease.ts).
 *
 *                      "ok", "limited"
 *     NONE ── ask ──► ASKING ───────────► HELD ──► a request takes a token: no query
 *      ▲ ▲              │                  │ │
 *      │ └── "unknown", "forbidden"        │ └──► no token left, or older than RENEW_AFTER_MS: ask again
 *      └── LEASE_MS over, key expired, end(project)
 *
 * A key has at most one query in flight for each scope. A request that has to wait is answered by a query that was sent
 * after it arrived. Times are monotonic and taken before a query is sent, so the content of a lease
 * was true at its start or later.
 */
export interface RateLeases {
  /** This process's id in the database. */
  process: string;
  admit(keyHash: Buffer, scope: Scope): Promise<TokenGrant>;
  /** Admits a request that has taken its token already; what it learns of its key is as fresh as a lease. */
  admitAgain(keyHash: Buffer, scope: Scope): Promise<TokenGrant>;
  /**
   * Takes `tokens` more for a request that has taken one, all or none. When there are fewer, the batch is
   * refused, and its first token goes back, too, but only once a second: the body of a refused batch has been read, so
   * that a flood of them must cost tokens.
   * @param firstFrom `granted_at` of the first one.
   */
  admitMore(keyHash: Buffer, scope: Scope, tokens: number, firstFrom: Date | null): Promise<TokenGrant>;
  /** Ends the key leases of a project: a later request is admitted only by a query that is sent after this. */
  end(projectId: string): void;
  /** Gives unused tokens back. Nothing may be admitted afterwards. */
  stop(): Promise<void>;
}

/** All keys of a project share this. */
interface Project {
  /** Leases from before this moment have ended. */
  endedAt: number;
  buckets: Record<Scope, Bucket>;
}

interface Bucket {
  tokenLease: RateLease;
  /** The key that asked last; tokens are given back in its name. */
  keyHash: Buffer | undefined;
  timer: NodeJS.Timeout | undefined;
  /** When a refused batch last put its first token back. */
  putBackAt: number;
}

interface KeyLease {
  facts: TokenGrant;
  sentAt: number;
  until: number;
  project: Project;
}

interface Waiter {
  needed: number;
  /** Only a batch has it; see {@link RateLeases.admitMore}. */
  firstFrom?: Date | null | undefined;
  done: (grant: TokenGrant) => void;
  failed: (error: unknown) => void;
}

/** The bulkhead's project: the key's own is known only from the answer. */
const NO_PROJECT = '';
/** Keys, and projects, that hold leases at once: some hundred bytes each. */
const MAX_LEASES = 10_000;
/** The first request that uses a lease this old renews it, so that no request has to wait. */
const RENEW_AFTER_MS = LEASE_MS * 0.6;
const PUT_BACK_EVERY_MS = 1_000;
const NOTHING_HELD: TokenRequest = { waiting: 0, ahead: 0, returned: 0, returnedFrom: null };

/** @param bulkhead bounds the queries of all keys together: each made-up key costs a query. */
export function createRateLeases(db: Db, bulkhead: Bulkhead): RateLeases {
  const process = randomUUID();
  const keys = new LRUCache<string, KeyLease>({ max: MAX_LEASES });
  const projects = new LRUCache<string, Project>({
    max: MAX_LEASES,
    // Key leases may still refer to it, and would not notice that it ended.
    dispose: (project) => {
      project.endedAt = Infinity;
    },
  });
  /**
   * The last end of any project's leases. A new project begins with it: its leases may have been ended while its first
   * query was in flight.
   */
  let lastEnd = -Infinity;
  /** Requests that wait for a key's next query while one is in flight. */
  const asking = new Map<string, Waiter[]>();

  async function ask(id: string, keyHash: Buffer, scope: Scope, waiting: Waiter[]): Promise<void> {
    asking.set(id, waiting);
    do {
      const waiters = waiting.splice(0);
      const needed = waiters.reduce((sum, waiter) => sum + waiter.needed, 0);
      const isBatch = waiters.some(({ firstFrom }) => firstFrom !== undefined);
      const sentAt = performance.now();
      const tokenLease = keys.get(id)?.project.buckets[scope].tokenLease;
      const request = tokenLease?.ask(sentAt, needed, isBatch) ?? { ...NOTHING_HELD, waiting: needed };
      try {
        const grant = await bulkhead.run(NO_PROJECT, () => askDatabase(db, keyHash, scope, request, process));
        settle(id, keyHash, scope, grant, sentAt, waiters);
      } catch (error) {
        for (const waiter of waiters) waiter.failed(error);
      }
    } while (waiting.length > 0);
    asking.delete(id);
  }

  function settle(id: string, keyHash: Buffer, scope: Scope, grant: TokenGrant, sentAt: number, waiters: Waiter[]) {
    if (grant.outcome === 'unknown' || grant.outcome === 'forbidden') {
      keys.delete(id);
      for (const waiter of waiters) waiter.done(grant);
      return;
    }
    const project = projectOf(grant.project_id);
    const bucket = project.buckets[scope];
    bucket.tokenLease.grant(grant, sentAt);
    const expiresInMs = grant.expires_in === null ? Infinity : grant.expires_in * 1_000;
    const lease = { facts: grant, sentAt, until: sentAt + Math.min(LEASE_MS, expiresInMs), project };
    keys.set(id, lease);
    bucket.keyHash = keyHash;
    for (const { needed, firstFrom, done } of waiters) {
      // Tokens granted for waiters are theirs, however late the answer came.
      if (needed === 0 || bucket.tokenLease.take(sentAt, needed)) done(admitted(lease, bucket.tokenLease));
      else if (firstFrom === undefined) done({ ...grant, outcome: 'limited' });
      else refuseBatch(bucket, scope, firstFrom, (left) => done({ ...grant, outcome: 'limited', tokens: left }));
    }
    clearTimeout(bucket.timer);
    bucket.timer = setTimeout(() => void giveBack(bucket, scope, performance.now()), LEASE_MS + 1).unref();
  }

  function projectOf(projectId: string): Project {
    const known = projects.get(projectId);
    if (known) return known;
    const made = { endedAt: lastEnd, buckets: { read: newBucket(), write: newBucket(), rules: newBucket() } };
    projects.set(projectId, made);
    return made;
  }

  /** When this fails, tokens are lost and the rate limit holds. */
  async function giveBack({ tokenLease, keyHash }: Bucket, scope: Scope, now: number, all = false): Promise<void> {
    if (!keyHash || !(all || tokenLease.owes(now))) return;
    await askDatabase(db, keyHash, scope, { ...tokenLease.ask(now, 0, all), ahead: 0 }, process).catch(() => undefined);
  }

  /** Gives back the tokens that did not suffice for a batch before the batch is refused. */
  function refuseBatch(bucket: Bucket, scope: Scope, firstFrom: Date | null, refuse: (left: number) => void): void {
    const now = performance.now();
    if (now - bucket.putBackAt > PUT_BACK_EVERY_MS && bucket.tokenLease.putBack(firstFrom)) bucket.putBackAt = now;
    // After the other waiters, which may take what this one leaves.
    queueMicrotask(() => {
      const left = bucket.tokenLease.left();
      void giveBack(bucket, scope, now, true).then(() => refuse(left));
    });
  }

  function admitOrWait(keyHash: Buffer, scope: Scope, request: Pick<Waiter, 'needed' | 'firstFrom'>) {
    const id = `${scope} ${keyHash.toString('latin1')}`;
    const now = performance.now();
    const lease = keys.get(id);
    const waiting = asking.get(id);
    if (lease && now < lease.until && lease.sentAt > lease.project.endedAt) {
      const { tokenLease } = lease.project.buckets[scope];
      if (request.needed === 0 || tokenLease.take(now, request.needed)) {
        if (!waiting && now > lease.sentAt + RENEW_AFTER_MS) void ask(id, keyHash, scope, []);
        return Promise.resolve(admitted(lease, tokenLease));
      }
    }
    return new Promise<TokenGrant>((done, failed) => {
      const waiter = { ...request, done, failed };
      if (waiting) waiting.push(waiter);
      else void ask(id, keyHash, scope, [waiter]);
    });
  }

  return {
    process,
    admit: (keyHash, scope) => admitOrWait(keyHash, scope, { needed: 1 }),
    admitAgain: (keyHash, scope) => admitOrWait(keyHash, scope, { needed: 0 }),
    admitMore: (keyHash, scope, tokens, firstFrom) => admitOrWait(keyHash, scope, { needed: tokens, firstFrom }),
    end: (projectId) => {
      lastEnd = performance.now();
      const project = projects.get(projectId);
      if (project) project.endedAt = lastEnd;
    },
    stop: async () => {
      for (const { buckets } of projects.values())
        for (const scope of SCOPES) {
          clearTimeout(buckets[scope].timer);
          await giveBack(buckets[scope], scope, Infinity);
        }
    },
  };
}

function newBucket(): Bucket {
  return { tokenLease: new RateLease(), keyHash: undefined, timer: undefined, putBackAt: -Infinity };
}

function admitted({ facts }: KeyLease, tokenLease: RateLease): TokenGrant {
  return { ...facts, outcome: 'ok', tokens: tokenLease.left() };
}

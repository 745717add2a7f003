import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Db } from '../platform/database/db.js';
import { admit, type TokenGrant, type TokenRequest } from './store/rate-buckets.js';
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
 * A key has at most one query in flight. A request that finds no token during it waits for the next query, so it never
 * gets what was read before it arrived. Times are monotonic and taken before a query is sent, so the content of a lease
 * was true at its start or later.
 */
export interface RateLeases {
  /** This process's id in the database. */
  process: string;
  admit(keyHash: Buffer, scope: Scope): Promise<TokenGrant>;
  /** Admits a request that has taken its token already, and must know the newest version of the index. */
  admitAgain(keyHash: Buffer, scope: Scope): Promise<TokenGrant>;
  /**
   * Takes `tokens` more for a request that has taken one, all or none. When there are fewer, the first one goes back as
   * well, once a second: the body of a refused batch has been read, so a flood of them costs tokens.
   * @param firstFrom `granted_at` of the first one.
   */
  admitMore(keyHash: Buffer, scope: Scope, tokens: number, firstFrom: Date | null): Promise<TokenGrant>;
  /** Ends all leases of a project: nothing read before now admits a request. */
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
  tokens: RateLease;
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
  tokens: number;
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
const NO_TOKENS: TokenRequest = { waiting: 0, ahead: 0, returned: 0, returnedFrom: null };

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
  /** The last end of any project's leases. A project is unknown while its first query is in flight. */
  let lastEnd = -Infinity;
  /** Requests that wait for a key's next query while one is in flight. */
  const asking = new Map<string, Waiter[]>();

  async function ask(id: string, keyHash: Buffer, scope: Scope, waiting: Waiter[]): Promise<void> {
    asking.set(id, waiting);
    do {
      const waiters = waiting.splice(0);
      const needed = waiters.reduce((sum, { tokens }) => sum + tokens, 0);
      const isBatch = waiters.some(({ firstFrom }) => firstFrom !== undefined);
      const sentAt = performance.now();
      const request = keys.get(id)?.project.buckets[scope].tokens.ask(sentAt, needed, isBatch) ?? {
        ...NO_TOKENS,
        waiting: needed,
      };
      try {
        const grant = await bulkhead.run(NO_PROJECT, () => admit(db, keyHash, scope, request, process));
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
    bucket.tokens.grant(grant, sentAt);
    const expiresInMs = grant.expires_in === null ? Infinity : grant.expires_in * 1_000;
    const lease = { facts: grant, sentAt, until: sentAt + Math.min(LEASE_MS, expiresInMs), project };
    keys.set(id, lease);
    bucket.keyHash = keyHash;
    for (const { tokens, firstFrom, done } of waiters) {
      // Tokens granted for waiters are theirs, however late the answer came.
      if (tokens === 0 || bucket.tokens.take(sentAt, tokens)) done(admitted(lease, bucket.tokens));
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
  async function giveBack({ tokens, keyHash }: Bucket, scope: Scope, now: number, all = false): Promise<void> {
    if (!keyHash || !(all || tokens.owes(now))) return;
    await admit(db, keyHash, scope, { ...tokens.ask(now, 0, all), ahead: 0 }, process).catch(() => undefined);
  }

  /** Gives back the tokens that did not suffice for a batch before the batch is refused. */
  function refuseBatch(bucket: Bucket, scope: Scope, firstFrom: Date | null, refuse: (left: number) => void): void {
    const now = performance.now();
    if (now - bucket.putBackAt > PUT_BACK_EVERY_MS && bucket.tokens.putBack(firstFrom)) bucket.putBackAt = now;
    // After the other waiters, which may take what this one leaves.
    queueMicrotask(() => {
      const left = bucket.tokens.left();
      void giveBack(bucket, scope, now, true).then(() => refuse(left));
    });
  }

  function admitOrWait(
    keyHash: Buffer,
    scope: Scope,
    needed: Pick<Waiter, 'tokens' | 'firstFrom'>,
  ): Promise<TokenGrant> {
    const id = `${scope} ${keyHash.toString('latin1')}`;
    const now = performance.now();
    const lease = keys.get(id);
    const waiting = asking.get(id);
    if (lease && now < lease.until && lease.sentAt > lease.project.endedAt) {
      const { tokens } = lease.project.buckets[scope];
      if (needed.tokens === 0 || tokens.take(now, needed.tokens)) {
        if (!waiting && now > lease.sentAt + RENEW_AFTER_MS) void ask(id, keyHash, scope, []);
        return Promise.resolve(admitted(lease, tokens));
      }
    }
    return new Promise((done, failed) => {
      const waiter = { ...needed, done, failed };
      if (waiting) waiting.push(waiter);
      else void ask(id, keyHash, scope, [waiter]);
    });
  }

  return {
    process,
    admit: (keyHash, scope) => admitOrWait(keyHash, scope, { tokens: 1 }),
    admitAgain: (keyHash, scope) => admitOrWait(keyHash, scope, { tokens: 0 }),
    admitMore: (keyHash, scope, tokens, firstFrom) => admitOrWait(keyHash, scope, { tokens, firstFrom }),
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
  return { tokens: new RateLease(), keyHash: undefined, timer: undefined, putBackAt: -Infinity };
}

function admitted({ facts }: KeyLease, tokens: RateLease): TokenGrant {
  return { ...facts, outcome: 'ok', tokens: tokens.left() };
}

import { LRUCache } from 'lru-cache';
import type { Db } from '../database/db.js';
import {
  admit,
  readIndexFacts,
  type Admission,
  type IndexFacts,
  type TokenGrant,
  type TokenRequest,
} from '../database/queries/admit.js';
import { SCOPES, type Scope } from '../glossary.js';
import type { Bulkhead } from '../load/bulkhead.js';
import { LEASE_MS, LeasedTokens } from './leased-tokens.js';
import { readLater } from '../load/read-later.js';

/**
 * Admits requests, mostly without asking the database: what is known of a key, and a few tokens of its project's
 * bucket, are leased for {@link LEASE_MS}.
 */
export interface Leases {
  admit(keyHash: Buffer, scope: Scope): Promise<Admission>;
  /**
   * The index as it is now, for who was admitted before and goes on only now: mostly that of a lease, as for {@link
   * admit}.
   */
  index(keyHash: Buffer, scope: Scope, projectId: string): Promise<IndexFacts>;
  /** Nothing that was read of this project before now admits a request any more. */
  end(projectId: string): void;
  /** Gives unused tokens back; nothing may be admitted after it. */
  stop(): Promise<void>;
}

/** What keys of one project share. */
interface ProjectLease {
  /** Leases from before this moment are over. */
  endedAt: number;
  buckets: Record<Scope, Bucket>;
}

interface Bucket {
  tokens: LeasedTokens;
  /** The key that asked last: whoever gives tokens back names one. */
  keyHash: Buffer | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** What was read of a key: valid for requests until `until`, unless its project's leases were ended since `sentAt`. */
interface KeyLease {
  facts: TokenGrant;
  sentAt: number;
  until: number;
  project: ProjectLease;
}

interface Waiter {
  done: (admission: Admission) => void;
  failed: (error: unknown) => void;
}

/** Whose a key is, is only known from the answer. One key asks once at a time, however many requests wait for that. */
const ANYBODY = '';
/** Keys and projects that hold leases at once, at most: some hundred bytes each. */
const MOST_LEASES = 10_000;
/** A lease this old is renewed by the first request that uses it, so that none has to wait for the next one. */
const RENEW_AFTER_MS = LEASE_MS * 0.6;

/**
 * Times are monotonic and taken before a query is sent, so whatever a lease holds was true at its start or later.
 * Answers other than "ok" are not kept: who is refused asks again, but those who ask at once share one query.
 * @param bulkhead bounds the queries of all keys together: anybody can make up keys that look like one, and each is
 * asked for.
 */
export function createLeases(db: Db, bulkhead: Bulkhead): Leases {
  const projects = new LRUCache<string, ProjectLease>({
    max: MOST_LEASES,
    // Keys may hold it still, and would not hear of its end.
    dispose: (project) => {
      project.endedAt = Infinity;
    },
  });
  const keys = new LRUCache<string, KeyLease>({ max: MOST_LEASES });
  /** Requests that wait, by key and scope, while a query for these is under way. */
  const underWay = new Map<string, Waiter[]>();
  /** The last end of any project's leases: a project may be unknown yet while its first query is under way. */
  let lastEnd = -Infinity;
  const readIndex = readLater((projectId) => bulkhead.run(projectId, () => readIndexFacts(db, projectId)));

  function projectOf(projectId: string): ProjectLease {
    const known = projects.get(projectId);
    if (known) return known;
    const made = { endedAt: lastEnd, buckets: { read: newBucket(), write: newBucket() } };
    projects.set(projectId, made);
    return made;
  }

  /** Asks for everyone who waits, and again for those who came meanwhile and could not be served with the answer. */
  async function ask(id: string, keyHash: Buffer, scope: Scope, waiting: Waiter[]): Promise<void> {
    underWay.set(id, waiting);
    do {
      const asking = waiting.splice(0);
      const sentAt = performance.now();
      const request = keys.get(id)?.project.buckets[scope].tokens.ask(sentAt, asking.length) ?? {
        ...NOTHING,
        waiting: asking.length,
      };
      try {
        const grant = await bulkhead.run(ANYBODY, () => admit(db, keyHash, scope, request));
        settle(id, keyHash, scope, grant, sentAt, asking, waiting);
      } catch (error) {
        for (const waiter of asking) waiter.failed(error);
      }
    } while (waiting.length > 0);
    underWay.delete(id);
  }

  function settle(
    id: string,
    keyHash: Buffer,
    scope: Scope,
    grant: TokenGrant,
    sentAt: number,
    asking: Waiter[],
    late: Waiter[],
  ): void {
    const now = performance.now();
    if (grant.outcome === 'unknown' || grant.outcome === 'forbidden') {
      keys.delete(id);
      for (const waiter of asking) waiter.done(grant);
      // They came after the query was sent: its answer is theirs only as long as a lease would be.
      if (now < sentAt + LEASE_MS && sentAt > lastEnd) for (const waiter of late.splice(0)) waiter.done(grant);
      return;
    }
    const project = projectOf(grant.project_id);
    const bucket = project.buckets[scope];
    const { tokens } = bucket;
    tokens.grant(grant, sentAt);
    const expiresIn = grant.expires_in === null ? Infinity : grant.expires_in * 1_000;
    const lease = { facts: grant, sentAt, until: sentAt + Math.min(LEASE_MS, expiresIn), project };
    keys.set(id, lease);
    for (const waiter of asking)
      waiter.done(tokens.takeGranted() ? admitted(lease, tokens) : { ...grant, outcome: 'limited' });
    if (holds(lease, now)) {
      while (late.length > 0 && tokens.take(now)) late.shift()?.done(admitted(lease, tokens));
      if (grant.outcome === 'limited') for (const waiter of late.splice(0)) waiter.done(grant);
    }
    bucket.keyHash = keyHash;
    clearTimeout(bucket.timer);
    bucket.timer = setTimeout(() => void giveBack(bucket, scope, performance.now()), LEASE_MS + 1).unref();
  }

  /** When this fails, tokens are lost: the limit holds. */
  async function giveBack({ tokens, keyHash }: Bucket, scope: Scope, now: number): Promise<void> {
    if (!keyHash || !tokens.owes(now)) return;
    const { returned, returnedFrom } = tokens.ask(now, 0);
    await admit(db, keyHash, scope, { ...NOTHING, returned, returnedFrom }).catch(() => undefined);
  }

  return {
    admit: (keyHash, scope) => {
      const id = idOf(keyHash, scope);
      const lease = keys.get(id);
      const now = performance.now();
      const waiting = underWay.get(id);
      if (lease && holds(lease, now)) {
        const { tokens } = lease.project.buckets[scope];
        if (tokens.take(now)) {
          if (!waiting && now > lease.sentAt + RENEW_AFTER_MS) void ask(id, keyHash, scope, []);
          return Promise.resolve(admitted(lease, tokens));
        }
      }
      return new Promise((done, failed) => {
        if (waiting) waiting.push({ done, failed });
        else void ask(id, keyHash, scope, [{ done, failed }]);
      });
    },
    index: (keyHash, scope, projectId) => {
      const lease = keys.get(idOf(keyHash, scope));
      return lease && holds(lease, performance.now()) ? Promise.resolve(lease.facts) : readIndex(projectId);
    },
    end: (projectId) => {
      lastEnd = performance.now();
      const project = projects.get(projectId);
      if (project) project.endedAt = lastEnd;
    },
    stop: async () => {
      for (const { buckets } of projects.values()) {
        for (const scope of SCOPES) {
          clearTimeout(buckets[scope].timer);
          await giveBack(buckets[scope], scope, Infinity);
        }
      }
    },
  };
}

const NOTHING: TokenRequest = { waiting: 0, ahead: 0, returned: 0, returnedFrom: null };

function newBucket(): Bucket {
  return { tokens: new LeasedTokens(), keyHash: undefined, timer: undefined };
}

function idOf(keyHash: Buffer, scope: Scope): string {
  return `${scope} ${keyHash.toString('latin1')}`;
}

function holds({ sentAt, until, project }: KeyLease, now: number): boolean {
  return now < until && sentAt > project.endedAt;
}

function admitted({ facts }: KeyLease, tokens: LeasedTokens): Admission {
  return { ...facts, outcome: 'ok', tokens: tokens.left() };
}

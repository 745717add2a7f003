import type { JobKind } from './queue.js';

/**
 * Every job there is: name, payload, retries. A payload says what is stale, never what to write: the handler reads
 * the row again, so that a late job cannot bring old content back.
 */

export interface VectorizePagePayload {
  projectId: string;
  pageId: string;
}

/** Three retries after 1, 2 and 4 seconds (with jitter), then the page ends in ERROR. */
export const VECTORIZE_RETRIES = 3;

export const vectorizePage: JobKind<VectorizePagePayload> = {
  name: 'vectorize-page',
  // As many a second as a large plan may push: who keeps to that waits for nobody's backlog.
  turns: { of: (payload) => payload.projectId, seconds: 0.02 },
  // One waiting job per page: a burst of upserts leaves one, and what comes while it runs leaves one more.
  policy: 'short',
  key: (payload) => payload.pageId,
  options: {
    notify: true,
    retryLimit: VECTORIZE_RETRIES,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 60,
    expireInSeconds: 900,
    heartbeatSeconds: 15,
    // Finished jobs answer no question; left lying, they slow every fetch (pg-boss issues 228, 418).
    deleteAfterSeconds: 600,
  },
};

/** Pages that are too much for a batch, one after the other, so that nobody else's wait for them. */
export const vectorizeLongPage: JobKind<VectorizePagePayload> = {
  ...vectorizePage,
  name: 'vectorize-long-page',
  turns: { of: (payload) => payload.projectId, seconds: 1 },
};

export interface RecordEventPayload {
  eventId: string;
  projectId: string;
  isTest: boolean;
  receivedAt: string;
  event:
    | {
        type: 'click';
        clickedUrl: string;
        clickedRank: number;
        rawPath: string;
        searchId: string;
        origin: string | null;
        occurredAt: string;
      }
    | {
        type: 'not-found';
        rawPath: string;
        origin: string | null;
        referrer: string | null;
        userAgent: string | null;
        visitorIp: string | null;
      };
}

export const recordEvent: JobKind<RecordEventPayload> = {
  name: 'record-event',
  policy: 'standard',
  id: (payload) => payload.eventId,
  options: {
    notify: true,
    // An event was acknowledged: it is tried for days, not minutes.
    retryLimit: 200,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 1_800,
    expireInSeconds: 300,
    heartbeatSeconds: 15,
    deleteAfterSeconds: 60,
    // What waits for longer pg-boss throws away, after 14 days of itself: an operator may be without a worker for that
    // long.
    retentionSeconds: 365 * 86_400,
  },
};

export interface ChangeModelPayload {
  projectId: string;
  modelId: number;
}

/** Embeds a project's pages with another model, then lets that one answer. */
export const changeModel: JobKind<ChangeModelPayload> = {
  name: 'change-model',
  policy: 'short',
  key: (payload) => payload.projectId,
  options: {
    notify: true,
    retryLimit: 20,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 600,
    expireInSeconds: 86_400,
    heartbeatSeconds: 60,
    deleteAfterSeconds: 3_600,
  },
};

export interface LearnMovesPayload {
  projectId: string;
}

/** Derives a project's section moves anew. One waits at most, however many clicks ask for it. */
export const learnMoves: JobKind<LearnMovesPayload> = {
  name: 'learn-moves',
  policy: 'short',
  key: (payload) => payload.projectId,
  options: {
    notify: true,
    retryLimit: 5,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 600,
    expireInSeconds: 300,
    heartbeatSeconds: 15,
    deleteAfterSeconds: 600,
  },
};

export interface BuildIndexesPayload {
  projectId: string;
}

/**
 * Looks whether a large project needs indexes of its own, or new ones, and builds them: minutes for a million passages.
 */
export const buildIndexes: JobKind<BuildIndexesPayload> = {
  name: 'build-indexes',
  policy: 'short',
  key: (payload) => payload.projectId,
  options: {
    notify: true,
    retryLimit: 3,
    retryDelay: 60,
    retryBackoff: true,
    retryDelayMax: 3_600,
    expireInSeconds: 21_600,
    heartbeatSeconds: 60,
    deleteAfterSeconds: 3_600,
  },
};

/** Partitions ahead, retention, stalled pages, idle buckets. */
export const maintenance: JobKind<Record<string, never>> = {
  name: 'maintenance',
  policy: 'short',
  options: { retryLimit: 2, expireInSeconds: 600, deleteAfterSeconds: 3_600 },
};

export const JOB_KINDS = [
  vectorizePage,
  vectorizeLongPage,
  recordEvent,
  changeModel,
  learnMoves,
  buildIndexes,
  maintenance,
] as readonly JobKind<never>[];

import type { Db } from '../../platform/database/db.js';
import { withBuildLock } from '../../projects/turns.js';
import { dropUnusedSegments, findProjectsWithOrphanedSegments, forgetLostSegments } from '../store/drop-segments.js';
import {
  deleteIndexSegments,
  readGrowth,
  findLargeProjects,
  replaceIndexSegments,
  type Growth,
} from '../store/segments.js';
import { buildIndexSegment, sweepSegment } from '../store/segment-tables.js';
import type { Logger } from '../../base/logger.js';
import type { SegmentCatalogue } from './segment-catalogue.js';
import { planBuild, segmentsToSweep, sharedSegment, type SegmentBuild } from './plan-segments.js';
import { ofProjects, type Job } from '../../platform/queue/job.js';
import type { JobQueue } from '../../platform/queue/queue.js';

export interface BuildSegmentsDeps {
  db: Db;
  /** A build keeps its session, with settings and a turn of its own. */
  dbWithSession: Db;
  queue: JobQueue;
  logger: Logger;
  ownIndexes: SegmentCatalogue;
  /** OWN_INDEX_PASSAGES; 0: never. */
  ownIndexPassages: number;
}

/** Builds a large project's own indexes: minutes for a million passages. */
export const buildSegments: Job<{ projectId: string }, BuildSegmentsDeps> = {
  name: 'build-indexes',
  policy: 'short',
  key: ({ projectId }) => projectId,
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
  work: (deps) => ({
    pollingSeconds: 2,
    handle: async (jobs) => {
      for (const { data, signal } of jobs) await updateOwnIndexes(deps, data.projectId, { signal });
    },
  }),
};

/** Without a new page for so long, a project is quiet. The pages of an import follow each other by milliseconds. */
export const QUIET_SECONDS = 20;

/** Times OWN_INDEX_PASSAGES: how far the tail is counted. No build waits for more; a full count would take seconds. */
const MAX_COUNTED = 10;

/** The next build that is due; undefined for a project without pages. */
export async function findDueBuild(
  db: Db,
  projectId: string,
  ownIndexPassages: number,
  quietSeconds = QUIET_SECONDS,
): Promise<{ growth: Growth; due: SegmentBuild | undefined } | undefined> {
  const growth = await readGrowth(db, projectId, MAX_COUNTED * ownIndexPassages);
  if (!growth) return undefined;
  const segments = growth.segments.map(({ passages }) => passages);
  return {
    growth,
    due:
      planBuild(ownIndexPassages, { segments, tail: growth.tail, quiet: growth.quiet_seconds >= quietSeconds }) ??
      sharedSegment(growth.segments),
  };
}

/**
 * Builds, merges, sweeps or drops the indexes of one project until nothing is due. Rejects when the signal aborts: the
 * next run drops what is unfinished and builds it again.
 */
export async function updateOwnIndexes(
  deps: Pick<BuildSegmentsDeps, 'dbWithSession' | 'logger' | 'ownIndexes' | 'ownIndexPassages'>,
  projectId: string,
  { quietSeconds, signal }: { quietSeconds?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const { dbWithSession, ownIndexPassages, logger } = deps;
  await withBuildLock(dbWithSession, projectId, update, signal);

  async function update(session: Db): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      await forgetLostSegments(session, projectId);
      // Of an interrupted build, and of segments that were merged.
      await dropUnusedSegments(session, projectId);
      const state = await findDueBuild(session, projectId, ownIndexPassages, quietSeconds);
      if (!state) return;
      const { growth, due } = state;
      const passages = growth.segments.reduce((sum, segment) => sum + segment.passages, growth.tail);
      if (growth.segments.length > 0 && passages < ownIndexPassages / 2) await deleteIndexSegments(session, projectId);
      else if (due) await build(session, growth, due);
      else {
        await sweep(session, growth);
        return;
      }
      await deps.ownIndexes.refresh();
    }
  }

  async function sweep(session: Db, growth: Growth): Promise<void> {
    for (const segment of segmentsToSweep(growth)) {
      signal?.throwIfAborted();
      await sweepSegment(session, { projectId, modelId: growth.model_id, ...segment });
    }
  }

  async function build(
    session: Db,
    { model_id: modelId, dimensions, segments }: Growth,
    { from, end, withTail }: SegmentBuild,
  ): Promise<void> {
    const started = performance.now();
    const after = segments[from]?.after ?? segments.at(-1)?.covered ?? '-1';
    const covered = withTail ? undefined : segments[end - 1]?.covered;
    const built = await buildIndexSegment(session, { projectId, modelId, dimensions, after, covered }, signal);
    await replaceIndexSegments(session, projectId, modelId, built);
    const seconds = Math.round((performance.now() - started) / 1000);
    logger.info('own indexes built', {
      project_id: projectId,
      passages: built.passages,
      segments: segments.length - (end - from) + 1,
      seconds,
    });
  }
}

/** Queues a build for every project that may need one, and drops the indexes of deleted projects. */
export async function updateAllOwnIndexes(deps: BuildSegmentsDeps): Promise<void> {
  if (deps.ownIndexPassages > 0) {
    const due = await findLargeProjects(deps.db, Math.ceil(deps.ownIndexPassages / 10));
    await deps.queue.enqueueNow(buildSegments, ofProjects(due));
  }
  for (const projectId of await findProjectsWithOrphanedSegments(deps.db)) await dropUnusedSegments(deps.db, projectId);
}

import type { Db } from '../../platform/database/db.js';
import { withBuildLock } from '../../projects/turns.js';
import {
  deleteIndexSegments,
  readGrowth,
  findLargeProjects,
  replaceIndexSegments,
  type Growth,
} from '../store/segments.js';
import {
  buildIndexSegment,
  findProjectsWithOrphanedSegments,
  sweepSegment,
  tidySegments,
} from '../store/segment-tables.js';
import type { Logger } from '../../base/logger.js';
import type { SegmentCatalogue } from './segment-catalogue.js';
import { planBuild, segmentsToSweep, type SegmentBuild } from './plan-segments.js';
import { ofProjects, type Job } from '../../platform/queue/job.js';
import type { JobQueue } from '../../platform/queue/queue.js';

export interface BuildSegmentsDeps {
  db: Db;
  /** A build keeps one session, for its settings and lock. */
  dbWithSession: Db;
  queue: JobQueue;
  logger: Logger;
  ownIndexes: SegmentCatalogue;
  /** The setting OWN_INDEX_PASSAGES; 0: a project never gets own indexes. */
  ownIndexChunks: number;
}

/** Builds a large project's own indexes: minutes for a million chunks. */
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

/** A project without a new page for this time is quiet. An import brings pages within milliseconds. */
const QUIET_SECONDS = 20;

/** The chunks of the tail are counted up to this multiple of OWN_INDEX_PASSAGES: a full count would take seconds. */
const MAX_COUNTED = 10;

/** The next build that is due; undefined for a project without pages. */
export async function findDueBuild(db: Db, projectId: string, ownIndexChunks: number, quietSeconds = QUIET_SECONDS) {
  const growth = await readGrowth(db, projectId, MAX_COUNTED * ownIndexChunks);
  if (!growth) return undefined;
  const { segments, tail, quiet_seconds } = growth;
  const due = planBuild(ownIndexChunks, {
    segments: segments.map(({ chunks }) => chunks),
    tail,
    quiet: quiet_seconds >= quietSeconds,
  });
  return { growth, due };
}

/** Updates a project's indexes until nothing is due. Rejects after an abort; the next run drops unfinished builds. */
export async function updateOwnIndexes(
  deps: Pick<BuildSegmentsDeps, 'dbWithSession' | 'logger' | 'ownIndexes' | 'ownIndexChunks'>,
  projectId: string,
  { quietSeconds, signal }: { quietSeconds?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const { dbWithSession, ownIndexChunks, logger } = deps;
  await withBuildLock(dbWithSession, projectId, update, signal);

  async function update(session: Db): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      await tidySegments(session, projectId);
      const state = await findDueBuild(session, projectId, ownIndexChunks, quietSeconds);
      if (!state) return;
      const { growth, due } = state;
      const chunks = growth.segments.reduce((sum, segment) => sum + segment.chunks, growth.tail);
      if (growth.segments.length > 0 && chunks < ownIndexChunks / 2) await deleteIndexSegments(session, projectId);
      else if (due) await build(session, growth, due);
      else {
        for (const segment of segmentsToSweep(growth)) {
          signal?.throwIfAborted();
          await sweepSegment(session, { projectId, modelId: growth.model_id, ...segment });
        }
        return;
      }
      await deps.ownIndexes.refresh();
    }
  }

  async function build(session: Db, growth: Growth, { from, end }: SegmentBuild): Promise<void> {
    const started = performance.now();
    const { model_id: modelId, dimensions, segments } = growth;
    const after = segments[from - 1]?.covered ?? '-1';
    const covered = segments[end - 1]?.covered;
    const built = await buildIndexSegment(session, { projectId, modelId, dimensions, after, covered }, signal);
    await replaceIndexSegments(session, projectId, modelId, built);
    logger.info('own indexes built', {
      project_id: projectId,
      chunks: built.chunks,
      segments: segments.length - segments.slice(from, end).length + 1,
      seconds: Math.round((performance.now() - started) / 1000),
    });
  }
}

/** Queues a build for every project that may need one, and drops the indexes of deleted projects. */
export async function updateAllOwnIndexes(deps: BuildSegmentsDeps): Promise<void> {
  if (deps.ownIndexChunks > 0) {
    const due = await findLargeProjects(deps.db, Math.ceil(deps.ownIndexChunks / 10));
    await deps.queue.enqueueNow(buildSegments, ofProjects(due));
  }
  for (const projectId of await findProjectsWithOrphanedSegments(deps.db)) await tidySegments(deps.db, projectId);
}

export type BuildTrigger = ReturnType<typeof createBuildTrigger>;

/** The number of builds that are queued per OWN_INDEX_PASSAGES pages. A page has two chunks or more. */
const BUILDS = 10;

type TriggerDeps = Pick<BuildSegmentsDeps, 'ownIndexChunks' | 'logger'> & { queue: Pick<JobQueue, 'enqueueNow'> };

/** Queues builds of growing projects. The job builds only what is due. */
export function createBuildTrigger(
  { queue, ownIndexChunks, logger }: TriggerDeps,
  quietMs = (QUIET_SECONDS + 1) * 1000,
) {
  /** Pages since the last queued build. The timer starts with the first build, since small projects need none. */
  const growing = new Map<string, { pages: number; whenQuiet?: NodeJS.Timeout }>();
  const queueBuild = (projectId: string): Promise<void> => queue.enqueueNow(buildSegments, [{ projectId }]);

  /** Queues a build when the project is quiet. If the process ends before, maintenance queues it. */
  function buildWhenQuiet(projectId: string): NodeJS.Timeout {
    return setTimeout(() => {
      growing.delete(projectId);
      queueBuild(projectId).catch((error: unknown) => {
        logger.warn('no look at indexes could be asked for; the hourly one will do', { project_id: projectId, error });
      });
    }, quietMs).unref();
  }

  return {
    /** Queues a build after a number of stored pages, and one more when the project is quiet. */
    async pagesStored(projectId: string, pages: number): Promise<void> {
      if (ownIndexChunks === 0) return;
      const growth = growing.get(projectId) ?? { pages: 0 };
      growing.set(projectId, growth);
      growth.pages += pages;
      growth.whenQuiet?.refresh();
      if (growth.pages < ownIndexChunks / BUILDS) return;
      growth.pages = 0;
      growth.whenQuiet ??= buildWhenQuiet(projectId);
      await queueBuild(projectId);
    },
    /** Queues a build, since the existing indexes do not cover the new model's vectors. */
    async modelChanged(projectId: string): Promise<void> {
      if (ownIndexChunks > 0) await queueBuild(projectId);
    },
  };
}

import type { Logger } from '../../base/logger.js';
import { QUIET_SECONDS } from './build-segments-job.js';

/**
 * Queues a build of a project's own indexes whenever this process has stored so many of its pages, and once more when
 * the project is quiet. The job builds only what is due.
 */
export interface BuildTrigger {
  pagesStored(projectId: string, pages: number): Promise<void>;
  /** The existing indexes do not cover the new model's vectors. */
  modelChanged(projectId: string): Promise<void>;
}

export interface BuildTriggerDeps {
  queueBuild: (projectId: string) => Promise<void>;
  /** OWN_INDEX_PASSAGES; 0: never. */
  ownIndexPassages: number;
  logger: Logger;
}

/** So many builds are queued while OWN_INDEX_PASSAGES pages are stored. A page has two passages or more. */
const BUILDS = 10;

interface Growing {
  /** Pages stored since the last build was queued. */
  pages: number;
  /** Unset until the first build is queued: small projects need none. */
  whenQuiet?: NodeJS.Timeout;
}

export function createBuildTrigger(
  { queueBuild, ownIndexPassages, logger }: BuildTriggerDeps,
  quietMs = (QUIET_SECONDS + 1) * 1000,
): BuildTrigger {
  const growing = new Map<string, Growing>();

  /** If the process ends before, maintenance queues the build. */
  function buildWhenQuiet(projectId: string): NodeJS.Timeout {
    return setTimeout(() => {
      growing.delete(projectId);
      queueBuild(projectId).catch((error: unknown) => {
        logger.warn('no look at indexes could be asked for; the hourly one will do', { project_id: projectId, error });
      });
    }, quietMs).unref();
  }

  return {
    async pagesStored(projectId, pages) {
      if (ownIndexPassages === 0) return;
      const one = growing.get(projectId) ?? { pages: 0 };
      growing.set(projectId, one);
      one.pages += pages;
      one.whenQuiet?.refresh();
      if (one.pages < ownIndexPassages / BUILDS) return;
      one.pages = 0;
      one.whenQuiet ??= buildWhenQuiet(projectId);
      await queueBuild(projectId);
    },
    async modelChanged(projectId) {
      if (ownIndexPassages > 0) await queueBuild(projectId);
    },
  };
}

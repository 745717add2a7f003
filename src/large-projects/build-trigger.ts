import type { Logger } from '../logger.js';
import { QUIET_SECONDS } from './build-indexes.js';

/**
 * Asks for a look at a project's indexes whenever so many of its pages were stored by this process, and once it is
 * quiet.
 */
export interface BuildTrigger {
  pagesStored(projectId: string, pages: number): Promise<void>;
  /** Its vectors are others now, which indexes of the former ones do not cover. */
  modelChanged(projectId: string): Promise<void>;
}

export interface BuildTriggerDeps {
  /** Asks for it. */
  queueBuild: (projectId: string) => Promise<void>;
  /** OWN_INDEX_PASSAGES; 0: never. */
  ownIndexPassages: number;
  logger: Logger;
}

/** Pages have two passages or more. */
const LOOKS = 10;

interface Growing {
  /** Pages stored since the last look. */
  pages: number;
  /** Set once there was one: small projects need none. */
  whenQuiet?: NodeJS.Timeout;
}

export function createBuildTrigger(
  { queueBuild, ownIndexPassages, logger }: BuildTriggerDeps,
  quietMs = (QUIET_SECONDS + 1) * 1000,
): BuildTrigger {
  const growing = new Map<string, Growing>();

  /** A process that ends before leaves it to the hourly look at all projects. */
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
      if (one.pages < ownIndexPassages / LOOKS) return;
      one.pages = 0;
      one.whenQuiet ??= buildWhenQuiet(projectId);
      await queueBuild(projectId);
    },
    async modelChanged(projectId) {
      if (ownIndexPassages > 0) await queueBuild(projectId);
    },
  };
}

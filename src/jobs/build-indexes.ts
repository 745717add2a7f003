import type { Db } from '../database/db.js';
import { buildOwnIndexes, dropUnusedIndexes, forgetOwnIndexes, growthOf, largeProjects, projectsThatLeftIndexes, type Growth } from '../database/queries/own-indexes.js';
import type { Logger } from '../logger.js';
import type { OwnIndexCatalogue } from '../search/own-index-catalogue.js';
import { buildIndexes } from './kinds.js';
import type { JobQueue } from './queue.js';

export interface BuildIndexesDeps {
  db: Db;
  queue: JobQueue;
  logger: Logger;
  ownIndexes: OwnIndexCatalogue;
  /** OWN_INDEX_PASSAGES; 0: never. */
  ownIndexPassages: number;
}

/** What arrived since the indexes were built is scanned; beyond this share of what they cover they are built anew. */
const LATE_SHARE = 0.1;

/** Whether a project has so many passages beside those that its indexes cover, if it has any, that they are built anew. */
export function indexesAreDue(ownIndexPassages: number, { passages, uncovered }: Growth): boolean {
  const after = passages === 0 ? ownIndexPassages : Math.max(ownIndexPassages / 2, Math.ceil(passages * LATE_SHARE));
  return ownIndexPassages > 0 && uncovered >= after;
}

/** Builds, renews or drops the indexes of one project, as its size asks for. */
export async function keepOwnIndexes(deps: BuildIndexesDeps, projectId: string): Promise<void> {
  const { db, ownIndexPassages } = deps;
  // Of a build that was cut off, and of indexes that another build replaced.
  await dropUnusedIndexes(db, projectId);
  const growth = await growthOf(db, projectId, ownIndexPassages + 1_000_000);
  if (!growth) return;
  const { covered, passages, uncovered } = growth;
  if (covered !== null && passages + uncovered < ownIndexPassages / 2) {
    await forgetOwnIndexes(db, projectId);
  } else if (indexesAreDue(ownIndexPassages, growth)) {
    const from = performance.now();
    await buildOwnIndexes(db, projectId, growth.model_id, growth.dimensions);
    deps.logger.info('own indexes built', { project_id: projectId, passages: passages + uncovered, seconds: Math.round((performance.now() - from) / 1000) });
  } else {
    return;
  }
  await deps.ownIndexes.refresh();
  await dropUnusedIndexes(db, projectId);
}

/** Looks at all projects that may need it, and drops what deleted projects left behind. */
export async function keepAllOwnIndexes(deps: BuildIndexesDeps): Promise<void> {
  if (deps.ownIndexPassages > 0) {
    const due = await largeProjects(deps.db, Math.ceil(deps.ownIndexPassages / 10));
    if (due.length > 0) await deps.queue.enqueueNow(buildIndexes, due.map((projectId) => ({ projectId })));
  }
  for (const projectId of await projectsThatLeftIndexes(deps.db)) await dropUnusedIndexes(deps.db, projectId);
}

/** Asks for a look at a project's indexes whenever so many of its pages were stored by this process. */
export interface GrowthWatch {
  pagesStored(projectId: string, pages: number): Promise<void>;
  /** Its vectors are others now, which indexes of the former ones do not cover. */
  modelChanged(projectId: string): Promise<void>;
}

/** Pages have two passages or more. */
const LOOKS = 10;

export function createGrowthWatch({ queue, ownIndexPassages }: Pick<BuildIndexesDeps, 'queue' | 'ownIndexPassages'>): GrowthWatch {
  const since = new Map<string, number>();
  return {
    async pagesStored(projectId, pages) {
      if (ownIndexPassages === 0) return;
      const stored = (since.get(projectId) ?? 0) + pages;
      if (stored < ownIndexPassages / LOOKS) {
        since.set(projectId, stored);
        return;
      }
      since.delete(projectId);
      await queue.enqueueNow(buildIndexes, [{ projectId }]);
    },
    async modelChanged(projectId) {
      if (ownIndexPassages > 0) await queue.enqueueNow(buildIndexes, [{ projectId }]);
    },
  };
}

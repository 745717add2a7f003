import type { Actor } from '../accounts/actor.js';
import { eraseProjectSums } from '../analytics/store/rollups.js';
import { eraseProjectEvents } from '../events/store/history.js';
import type { Db } from '../platform/database/db.js';
import { countPagesByStatus } from '../pages/store/page-counts.js';
import { deleteProject } from '../projects/projects.js';
import { listKeys } from '../projects/store/keys.js';
import type { ProjectRow } from '../projects/store/projects.js';
import { eraseProjectSearches } from '../search/store/searches.js';
import { countOf } from '../text/count-of.js';

/** Names what a deletion takes: `317 pages, 2 keys in use, all its rules, searches and events`. */
export async function describeLoss(db: Db, projectId: string): Promise<string> {
  const pages = Object.values(await countPagesByStatus(db, projectId)).reduce((sum, count) => sum + count, 0);
  const keys = (await listKeys(db, projectId)).filter((key) => key.revoked_at === null).length;
  return `${countOf(pages, 'page')}, ${countOf(keys, 'key')} in use, all its rules, searches and events`;
}

/** Deletes a project with all that it has, except its entries in the audit log. */
export async function deleteWholeProject(db: Db, actor: Actor, project: ProjectRow): Promise<void> {
  await deleteProject(db, actor, project, async (trx, projectId) => {
    await eraseProjectSearches(trx, projectId);
    await eraseProjectEvents(trx, projectId);
    await eraseProjectSums(trx, projectId);
  });
}

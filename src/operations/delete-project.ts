import type { Actor } from '../accounts/actor.js';
import { eraseProjectSums } from '../analytics/store/rollups.js';
import { eraseProjectEvents } from '../events/store/history.js';
import type { Db } from '../platform/database/db.js';
import { deleteProject } from '../projects/projects.js';
import type { ProjectRow } from '../projects/store/projects.js';
import { eraseProjectSearches } from '../search/store/searches.js';

/** Deletes a project with all that it has, except its entries in the audit log. */
export async function deleteWholeProject(db: Db, actor: Actor, project: ProjectRow): Promise<void> {
  await deleteProject(db, actor, project, async (trx, projectId) => {
    await eraseProjectSearches(trx, projectId);
    await eraseProjectEvents(trx, projectId);
    await eraseProjectSums(trx, projectId);
  });
}

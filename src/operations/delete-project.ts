import { recordChange, type Actor } from '../accounts/actor.js';
import { eraseProjectSums } from '../analytics/store/rollups.js';
import { eraseProjectEvents } from '../events/store/history.js';
import type { Trx } from '../platform/database/db.js';
import { deleteProjectRow, lockProject, type ProjectRow } from '../projects/store/projects.js';
import { eraseProjectSearches } from '../search/store/searches.js';

/** Deletes a project with all that it has, but for what the audit log says of it. */
export async function deleteProject(trx: Trx, actor: Actor, project: ProjectRow): Promise<void> {
  const { project_id: projectId, name } = project;
  await lockProject(trx, projectId);
  await recordChange(trx, actor, project, 'project deleted', name);
  await eraseProjectSearches(trx, projectId);
  await eraseProjectEvents(trx, projectId);
  await eraseProjectSums(trx, projectId);
  await deleteProjectRow(trx, projectId);
}

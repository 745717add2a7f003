import { recordChange, type Actor } from '../accounts/actor.js';
import { ApiError, invalid } from '../base/errors.js';
import type { Db, Trx } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { sqlState } from '../platform/database/session/database-errors.js';
import { bumpIndexVersion } from './index-version.js';
import { deleteProjectRow, insertProject, updateProject } from './store/projects.js';
import type { NewProject, ProjectChange, ProjectRow } from './store/projects.js';
import { lockProject } from './turns.js';

const MAX_NAME = 200;
const UNIQUE_VIOLATION = '23505';

/** @throws ApiError invalid_request, if another project has the name, too */
export async function makeProject(db: Db, actor: Actor, project: NewProject): Promise<ProjectRow> {
  const name = checkName(project.name);
  return inTransaction(db, async (trx) => {
    const made = await insertProject(trx, { ...project, name });
    if (!made) throw nameTaken(name);
    await recordChange(trx, actor, made, 'project made', `plan ${made.plan ?? 'none'}`);
    return made;
  });
}

/**
 * Undefined if the project was deleted meanwhile. A change that changes nothing has no entry in the audit log.
 * @throws ApiError invalid_request, if another project has the name, too
 */
export async function changeProject(trx: Trx, actor: Actor, before: ProjectRow, fields: ProjectChange) {
  const change = fields.name === undefined ? fields : { ...fields, name: checkName(fields.name) };
  const after = await updateProject(trx, before.project_id, change).catch((error: unknown) => {
    throw sqlState(error) === UNIQUE_VIOLATION ? nameTaken(change.name) : error;
  });
  const changed = Object.keys(change).filter((field) => field in before) as (keyof ProjectRow)[];
  const descriptions = changed
    .filter((field) => after && after[field] !== before[field])
    .map((field) => `${field.replaceAll('_', ' ')} ${shown(before[field])} → ${shown(after?.[field])}`);
  if (after && descriptions.length > 0)
    await recordChange(trx, actor, after, 'project changed', descriptions.join(', '));
  // Rules hold for other paths then; or an answer says that it is of a trial, or of none.
  const answered = ['path_case', 'path_slash', 'trial', 'redirect_above'] as const;
  if (answered.some((field) => after?.[field] !== before[field])) await bumpIndexVersion(trx, before.project_id);
  return after;
}

/**
 * Deletes a project. Waits for transactions that store searches and events of it at that moment.
 * @param forgetHistory deletes these: no foreign key does
 */
export async function deleteProject(
  db: Db,
  actor: Actor,
  project: ProjectRow,
  forgetHistory: (trx: Trx, projectId: string) => Promise<void>,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockProject(trx, project.project_id);
    await recordChange(trx, actor, project, 'project deleted', project.name);
    await forgetHistory(trx, project.project_id);
    await deleteProjectRow(trx, project.project_id);
  });
}

/** @throws ApiError invalid_request */
export function checkName(name: string, max = MAX_NAME): string {
  const trimmed = name.trim();
  if (trimmed === '' || [...trimmed].length > max) throw invalid('name', `name must have 1 to ${max} characters.`);
  return trimmed;
}

/** The error names no field, because its message is clear without one. */
function nameTaken(name: string | undefined): ApiError {
  return new ApiError('invalid_request', { message: `There is a project named ${JSON.stringify(name)} already.` });
}

function shown(value: string | number | boolean | null | undefined): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return String(value ?? 'none');
}

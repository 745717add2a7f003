import type { Plan, Rates } from '../base/glossary.js';
import type { Db, Trx } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { insertProject, updateProject, type ProjectChange, type ProjectRow } from '../projects/store/projects.js';
import { recordChange, type Actor } from './actor.js';

/** Undefined if the name is taken. */
export async function makeProject(
  db: Db,
  actor: Actor,
  project: { name: string; plan: Plan | null; model_choice?: string } & Rates,
): Promise<ProjectRow | undefined> {
  return inTransaction(db, async (trx) => {
    const made = await insertProject(trx, project);
    if (made) await recordChange(trx, actor, made, 'project made', `plan ${made.plan ?? 'none'}`);
    return made;
  });
}

/** Undefined if the project was deleted meanwhile. A change that changes nothing has no entry. */
export async function changeProject(
  trx: Trx,
  actor: Actor,
  before: ProjectRow,
  change: ProjectChange,
): Promise<ProjectRow | undefined> {
  const after = await updateProject(trx, before.project_id, change);
  const changed = Object.keys(change).filter((field) => field in before) as (keyof ProjectRow)[];
  const said = changed
    .filter((field) => after && after[field] !== before[field])
    .map((field) => `${field.replaceAll('_', ' ')} ${shown(before[field])} → ${shown(after?.[field])}`);
  if (after && said.length > 0) await recordChange(trx, actor, after, 'project changed', said.join(', '));
  return after;
}

function shown(value: string | number | boolean | null | undefined): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return String(value ?? 'none');
}

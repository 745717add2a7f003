import { sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';

export type ChangeKind = 'change' | 'confirm' | 'undo';

/** A row of pathmend.rule_changes; db/schema.sql says what its columns mean. */
export interface RuleChangeRow<State> {
  change_id: number;
  changed_at: Date;
  changed_by: string;
  kind: ChangeKind;
  undoes: number | null;
  undone_by: number | null;
  rules: { path: string; before: State | null; after: State | null }[];
}

/** The caller holds the lock on moves: ids count up. */
export async function insertRuleChange<State>(
  trx: Trx,
  projectId: string,
  change: Omit<RuleChangeRow<State>, 'change_id' | 'undone_by'>,
): Promise<number> {
  const { rows } = await sql<{ change_id: number }>`
    insert into pathmend.rule_changes (project_id, change_id, changed_at, changed_by, kind, undoes, rules)
    select ${projectId}::uuid, coalesce(max(change_id), 0) + 1, ${change.changed_at}, ${change.changed_by},
           ${change.kind}, ${change.undoes}, ${JSON.stringify(change.rules)}::jsonb
      from pathmend.rule_changes where project_id = ${projectId}
    returning change_id`.execute(trx);
  return (rows[0] as { change_id: number }).change_id;
}

export async function markUndone(trx: Trx, projectId: string, changeId: number, by: number | null): Promise<void> {
  await sql`
    update pathmend.rule_changes set undone_by = ${by}
     where project_id = ${projectId} and change_id = ${changeId}`.execute(trx);
}

export async function readRuleChange<State>(
  db: Db,
  projectId: string,
  changeId: number,
): Promise<RuleChangeRow<State> | undefined> {
  const { rows } = await sql<RuleChangeRow<State>>`
    select change_id, changed_at, changed_by, kind, undoes, undone_by, rules from pathmend.rule_changes
     where project_id = ${projectId} and change_id = ${changeId}`.execute(db);
  return rows[0];
}

/** The latest first, before `before`, each with the number of its rules and the first few. */
export async function listRuleChanges<State>(
  db: Db,
  projectId: string,
  before: number | undefined,
  limit: number,
  shown: number,
): Promise<(RuleChangeRow<State> & { count: number })[]> {
  const { rows } = await sql<RuleChangeRow<State> & { count: number }>`
    select change_id, changed_at, changed_by, kind, undoes, undone_by, jsonb_array_length(rules) as count,
           jsonb_path_query_array(rules, '$[0 to $last]', jsonb_build_object('last', ${shown - 1}::int)) as rules
      from pathmend.rule_changes
     where project_id = ${projectId} and (${before ?? null}::int is null or change_id < ${before ?? null}::int)
     order by change_id desc limit ${limit}`.execute(db);
  return rows;
}

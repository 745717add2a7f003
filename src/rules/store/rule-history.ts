import { query, sql } from '../../platform/database/sql.js';
import type { RuleState } from '../rule-states.js';
import type { Db, Row, Trx } from '../../platform/database/db.js';
import type { ProjectRange } from '../../platform/database/project-range.js';

export type ChangeKind = Row<'rule_changes'>['kind'];

/** db/migrations/0005_rules.sql says what the columns mean. */
export type RuleChangeRow = Omit<Row<'rule_changes'>, 'project_id' | 'rules'> & {
  rules: { path: string; before: RuleState | null; after: RuleState | null }[];
};

/** Stores a change. The caller holds the lock of `lockRedirects`, so that ids count up. */
export function insertRuleChange(trx: Trx, projectId: string, change: Omit<RuleChangeRow, 'change_id' | 'undone_by'>) {
  return query(sql<{ change_id: number }>`
    insert into pathmend.rule_changes (project_id, change_id, changed_at, changed_by, kind, undoes, rules)
    select ${projectId}::uuid, coalesce(max(change_id), 0) + 1, ${change.changed_at}, ${change.changed_by},
           ${change.kind}, ${change.undoes}, ${JSON.stringify(change.rules)}::jsonb
      from pathmend.rule_changes where project_id = ${projectId}
    returning change_id`).value(trx, 'change_id', 0);
}

export async function markUndone(trx: Trx, projectId: string, changeId: number, by: number | null): Promise<void> {
  await trx
    .updateTable('pathmend.rule_changes')
    .set({ undone_by: by })
    .where('project_id', '=', projectId)
    .where('change_id', '=', changeId)
    .execute();
}

export function readRuleChange(db: Db, projectId: string, changeId: number): Promise<RuleChangeRow | undefined> {
  return db
    .selectFrom('pathmend.rule_changes')
    .select(['change_id', 'changed_at', 'changed_by', 'kind', 'undoes', 'undone_by', 'rules'])
    .where('project_id', '=', projectId)
    .where('change_id', '=', changeId)
    .$castTo<RuleChangeRow>()
    .executeTakeFirst();
}

/**
 * Lists changes with an id below `before`, the latest first, each with the number of its rules and the first few of
 * them.
 */
export function listRuleChanges(db: Db, projectId: string, before: number | undefined, limit: number, shown: number) {
  return query(sql<RuleChangeRow & { count: number }>`
    select change_id, changed_at, changed_by, kind, undoes, undone_by, jsonb_array_length(rules) as count,
           jsonb_path_query_array(rules, '$[0 to $last]', jsonb_build_object('last', ${shown - 1}::int)) as rules
      from pathmend.rule_changes
     where project_id = ${projectId} and (${before ?? null}::int is null or change_id < ${before ?? null}::int)
     order by change_id desc limit ${limit}`).rows(db);
}

export interface RuleHit {
  projectId: string;
  /** The key of the rule, in hexadecimal. */
  ruleKey: string;
  hits: number;
  /** The time of the last hit, in milliseconds since 1970. */
  at: number;
}

/** Adds hits; those of deleted projects are left out. Rows are locked in order, against deadlocks. */
export async function addRuleHits(db: Db, hits: readonly RuleHit[]): Promise<void> {
  const rows = hits.map((hit) => ({ ...hit, at: new Date(hit.at).toISOString() }));
  await sql`
    insert into pathmend.rule_hits as h (project_id, rule_key, hits, last_hit_at)
    select p.project_id, decode(i."ruleKey", 'hex'), i.hits, i.at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
           as i ("projectId" uuid, "ruleKey" text, hits bigint, at timestamptz)
      join pathmend.projects p on p.project_id = i."projectId"
     order by p.project_id, i."ruleKey"
       for key share of p
    on conflict (project_id, rule_key) do update set
      hits = h.hits + excluded.hits, last_hit_at = greatest(h.last_hit_at, excluded.last_hit_at)`.execute(db);
}

/** Drops the hits of rules that decided nothing since `before`, and the changes that were made before it. */
export async function dropOldRuleHistory(db: Db, before: Date, { from, to }: ProjectRange): Promise<void> {
  const inRange = sql<boolean>`project_id between ${from} and ${to}`;
  await db.deleteFrom('pathmend.rule_hits').where(inRange).where('last_hit_at', '<', before).execute();
  await db.deleteFrom('pathmend.rule_changes').where(inRange).where('changed_at', '<', before).execute();
}

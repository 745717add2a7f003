import { sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import type { ProjectRange } from '../../platform/database/project-range.js';

export interface RuleHit {
  projectId: string;
  /** In hexadecimal. */
  ruleKey: string;
  hits: number;
  /** When the last one was; milliseconds since 1970. */
  at: number;
}

/** Adds hits; those of deleted projects are left out. Rows are locked in order, against deadlocks. */
export async function addRuleHits(db: Db, hits: readonly RuleHit[]): Promise<void> {
  const rows = hits.map(({ projectId, ruleKey, hits, at }) => ({
    project_id: projectId,
    rule_key: ruleKey,
    hits,
    at: new Date(at).toISOString(),
  }));
  await sql`
    insert into pathmend.rule_hits as h (project_id, rule_key, hits, last_hit_at)
    select p.project_id, decode(i.rule_key, 'hex'), i.hits, i.at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
           as i (project_id uuid, rule_key text, hits bigint, at timestamptz)
      join pathmend.projects p on p.project_id = i.project_id
     order by p.project_id, i.rule_key
       for key share of p
    on conflict (project_id, rule_key) do update set
      hits = h.hits + excluded.hits, last_hit_at = greatest(h.last_hit_at, excluded.last_hit_at)`.execute(db);
}

/** Drops the hits of rules that decided nothing since `before`, and what was changed before it. */
export async function dropOldRuleHistory(db: Db, before: Date, { from, to }: ProjectRange): Promise<void> {
  await sql`
    delete from pathmend.rule_hits where project_id between ${from} and ${to} and last_hit_at < ${before}`.execute(db);
  await sql`
    delete from pathmend.rule_changes where project_id between ${from} and ${to} and changed_at < ${before}`.execute(
    db,
  );
}

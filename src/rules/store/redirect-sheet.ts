import { query, sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';

/** The decision for an old url: `review`, nobody has decided it; `none`, it gets no rule. */
export const SHEET_DECISIONS = ['review', 'accept', 'gone', 'ignore', 'none'] as const;
export type SheetDecision = (typeof SHEET_DECISIONS)[number];

/** A page that an old url may have become. */
export interface PageChoice {
  /** The full url of the page. */
  href: string;
  /** The path of the page, as callers see it. */
  url: string;
  title: string;
  score: number;
}

/** An old url of a project's sheet: a row of pathmend.rule_proposals with the source `map`. */
export interface SheetRow {
  key: string;
  path: string;
  /** The address that the old url leads to; empty: it has no target. */
  target: string;
  score: number;
  hits: number;
  decision: SheetDecision;
  why: string;
  /** The pages that are most like it, the best first. */
  choices: PageChoice[];
  /** The title and content of the old page, from the file. They are kept until the row is looked up. */
  title: string;
  content: string;
}

/**
 * A result for a row, or a decision about it. `certain` is 0 for a result that needs a look first; a decision has no
 * `certain`.
 */
export type FoundRow = Pick<SheetRow, 'key' | 'target' | 'decision'> &
  Partial<Pick<SheetRow, 'score' | 'why' | 'choices'>> & { certain?: number };

export type NewRow = Pick<SheetRow, 'key' | 'path' | 'hits' | 'title' | 'content'>;

/** Adds old urls that are not in the sheet yet. Returns how many. */
export async function insertSheetRows(db: Db, projectId: string, rows: readonly NewRow[], at: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into pathmend.rule_proposals
      (project_id, rule_key, path, target, source, support, contradictions, confidence, evidence, paths, requests,
       examples, proposed_at, rejected_at)
    select ${projectId}::uuid, decode(i.key, 'hex'), i.path, '', 'map', 0, 0, 0,
           jsonb_build_array(jsonb_build_object('from', i.path, 'title', i.title, 'content', i.content)),
           0, i.hits, '[]', ${at}, ${at}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
           as i (key text, path text, title text, content text, hits int)
     order by i.key
    on conflict do nothing`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Counts the rows that wait to be looked up, and the others by decision. */
export async function countSheet(db: Db, projectId: string): Promise<Record<SheetDecision | 'waiting', number>> {
  const { rows } = await sql<{ what: SheetDecision | 'waiting'; count: number }>`
    select case when support = 0 then 'waiting' else coalesce(evidence -> 0 ->> 'decision', 'none') end as what,
           count(*)::int as count
      from pathmend.rule_proposals where project_id = ${projectId} and source = 'map' group by 1`.execute(db);
  const none = { waiting: 0, review: 0, accept: 0, gone: 0, ignore: 0, none: 0 };
  return Object.assign(none, Object.fromEntries(rows.map(({ what, count }) => [what, count])));
}

/** Whether rows that were added in the last minutes wait to be looked up. */
export function hasNewSheetRows(db: Db, projectId: string): Promise<boolean> {
  return query(sql<{ is_new: boolean }>`
    select exists (select from pathmend.rule_proposals
                    where project_id = ${projectId} and source = 'map' and support = 0
                      and proposed_at > now() - interval '5 minutes') as is_new`).value(db, 'is_new', false);
}

/** The order of the rows. No decision changes it, since a person may be on the way through the list. */
const DOUBT = sql`coalesce((evidence -> 0 ->> 'certain')::int, 0), greatest(requests, 1) * (confidence - 1), rule_key`;

/**
 * Lists rows of a sheet, those first that need a look. Among these, rows with many requests and a low score come first.
 * `waiting`: only rows that are not looked up yet; else only the others. `after`: the key of the last row before these.
 */
export function listSheetRows(
  db: Db,
  projectId: string,
  select: { waiting: boolean; decision?: SheetDecision | undefined; after?: string | undefined; limit: number },
): Promise<SheetRow[]> {
  const [decision, after] = [select.decision ?? null, select.after ?? null];
  return query(sql<SheetRow>`
    select encode(rule_key, 'hex') as key, path, target, confidence as score, requests as hits,
           coalesce(of.decision, 'none') as decision, coalesce(of.why, '') as why, coalesce(of.title, '') as title,
           coalesce(of.content, '') as content, coalesce(of.choices, '[]') as choices
      from pathmend.rule_proposals,
           jsonb_to_record(coalesce(evidence -> 0, '{}'))
             as of (decision text, why text, title text, content text, choices jsonb)
     where project_id = ${projectId} and source = 'map' and support = ${select.waiting ? 0 : 1}::float8
       and (${decision}::text is null or of.decision = ${decision}::text)
       and (${after}::text is null
            or (${DOUBT}) > (select ${DOUBT} from pathmend.rule_proposals
                   where project_id = ${projectId} and source = 'map' and rule_key = decode(${after}::text, 'hex')))
     order by ${DOUBT} limit ${select.limit}`).rows(db);
}

/** Stores results for rows that waited, or decisions about rows that did not. Returns how many rows were stored. */
export async function updateSheetRows(db: Db, projectId: string, waiting: boolean, rows: readonly FoundRow[]) {
  const stored = rows.map(({ key, target, score, ...evidence }) => ({ key, target, score, evidence }));
  const { numAffectedRows } = await sql`
    update pathmend.rule_proposals p
       set target = i.target, confidence = coalesce(i.score, p.confidence), support = 1,
           evidence = jsonb_build_array((p.evidence -> 0) - '{title,content}'::text[] || i.evidence)
      from jsonb_to_recordset(${JSON.stringify(stored)}::jsonb) as i (key text, target text, score float8, evidence jsonb)
     where p.project_id = ${projectId} and p.source = 'map' and p.support = ${waiting ? 0 : 1}::float8
       and p.rule_key = decode(i.key, 'hex')`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Drops rows; without keys, the whole sheet. Returns how many. */
export async function deleteSheetRows(db: Db, projectId: string, keys?: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from pathmend.rule_proposals
     where project_id = ${projectId} and source = 'map'
       and (${keys === undefined} or encode(rule_key, 'hex') = any (${keys ?? []}::text[]))`.execute(db);
  return Number(numAffectedRows ?? 0);
}

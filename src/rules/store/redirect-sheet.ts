import { sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';

/** What is to become of an old url: `review`, nobody has decided it; `none`, it gets no rule. */
export const SHEET_DECISIONS = ['accept', 'gone', 'ignore', 'none', 'review'] as const;
export type SheetDecision = (typeof SHEET_DECISIONS)[number];

/** An old url of a project's sheet: a row of pathmend.rule_proposals with the source `map`. */
export interface SheetRow {
  key: string;
  path: string;
  /** Empty: none. */
  target: string;
  score: number;
  hits: number;
  decision: SheetDecision;
  why: string;
  second: string;
  second_score: number | null;
}

/** One that is not looked up yet. `title`, `content`: what the file says of the old page. */
export type WaitingRow = Pick<SheetRow, 'key' | 'path' | 'hits'> & { title: string; content: string };

const ofSheet = (projectId: string): ReturnType<typeof sql> => sql`project_id = ${projectId} and source = 'map'`;
const ROW = sql`encode(rule_key, 'hex') as key, path, target, confidence as score, requests as hits,
  coalesce(evidence -> 0 ->> 'decision', 'none') as decision, coalesce(evidence -> 0 ->> 'why', '') as why,
  coalesce(evidence -> 0 ->> 'second', '') as second, (evidence -> 0 ->> 'second_score')::float8 as second_score`;

/** Adds old urls that are not in the sheet yet. Returns how many. */
export async function insertSheetRows(
  db: Db,
  projectId: string,
  rows: readonly WaitingRow[],
  at: Date,
): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into pathmend.rule_proposals
      (project_id, rule_key, path, target, source, support, contradictions, confidence, evidence, paths, requests,
       examples, proposed_at)
    select ${projectId}::uuid, decode(i.key, 'hex'), i.path, '', 'map', 0, 0, 0,
           jsonb_build_array(jsonb_build_object('from', i.path, 'title', i.title, 'content', i.content)),
           0, i.hits, '[]', ${at}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
           as i (key text, path text, title text, content text, hits int)
     order by i.key
    on conflict do nothing`.execute(db);
  return Number(numAffectedRows ?? 0);
}

export async function readWaitingRows(db: Db, projectId: string, limit: number): Promise<WaitingRow[]> {
  const { rows } = await sql<WaitingRow>`
    select encode(rule_key, 'hex') as key, path, requests as hits, coalesce(evidence -> 0 ->> 'title', '') as title,
           coalesce(evidence -> 0 ->> 'content', '') as content
      from pathmend.rule_proposals
     where ${ofSheet(projectId)} and support = 0 order by rule_key limit ${limit}`.execute(db);
  return rows;
}

/** How many rows wait to be looked up, and how many of the others have each decision. */
export async function countSheet(
  db: Db,
  projectId: string,
): Promise<{ waiting: number } & Record<SheetDecision, number>> {
  const { rows } = await sql<{ what: SheetDecision | 'waiting'; count: number }>`
    select case when support = 0 then 'waiting' else coalesce(evidence -> 0 ->> 'decision', 'none') end as what,
           count(*)::int as count
      from pathmend.rule_proposals where ${ofSheet(projectId)} group by 1`.execute(db);
  const none = { waiting: 0, accept: 0, gone: 0, ignore: 0, none: 0, review: 0 };
  return Object.assign(none, Object.fromEntries(rows.map(({ what, count }) => [what, count])));
}

/** Those that were looked up: what was asked for most first, then the surest. `after`: the key of the last one. */
export async function listSheetRows(
  db: Db,
  projectId: string,
  { decision, after, limit }: { decision?: SheetDecision | undefined; after?: string | undefined; limit: number },
): Promise<SheetRow[]> {
  const { rows } = await sql<SheetRow>`
    select ${ROW} from pathmend.rule_proposals
     where ${ofSheet(projectId)} and support = 1
       and (${decision ?? null}::text is null or evidence -> 0 ->> 'decision' = ${decision ?? null}::text)
       and (${after ?? null}::text is null
            or (-requests, -confidence, rule_key)
               > (select -requests, -confidence, rule_key from pathmend.rule_proposals
                   where ${ofSheet(projectId)} and rule_key = decode(${after ?? null}::text, 'hex')))
     order by requests desc, confidence desc, rule_key limit ${limit}`.execute(db);
  return rows;
}

/** Stores what was found for rows that waited. */
export async function storeSheetRows(
  db: Db,
  projectId: string,
  rows: readonly Omit<SheetRow, 'path' | 'hits'>[],
): Promise<void> {
  await sql`
    update pathmend.rule_proposals p
       set target = i.target, confidence = i.score, support = 1,
           evidence = jsonb_build_array(jsonb_build_object('from', p.path, 'decision', i.decision, 'why', i.why,
                                                           'second', i.second, 'second_score', i.second_score))
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
           as i (key text, target text, score float8, decision text, why text, second text, second_score float8)
     where p.project_id = ${projectId} and p.source = 'map' and p.support = 0
       and p.rule_key = decode(i.key, 'hex')`.execute(db);
}

/** Stores what a person decided of rows that were looked up. Returns how many there are of them. */
export async function decideSheetRows(
  db: Db,
  projectId: string,
  rows: readonly Pick<SheetRow, 'key' | 'decision' | 'target'>[],
): Promise<number> {
  const { numAffectedRows } = await sql`
    update pathmend.rule_proposals p
       set target = i.target, evidence = jsonb_set(p.evidence, '{0,decision}', to_jsonb(i.decision))
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as i (key text, decision text, target text)
     where p.project_id = ${projectId} and p.source = 'map' and p.support = 1
       and p.rule_key = decode(i.key, 'hex')`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Drops rows, or where none are named the whole sheet. Returns how many. */
export async function deleteSheetRows(db: Db | Trx, projectId: string, keys?: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from pathmend.rule_proposals
     where ${ofSheet(projectId)}
       and (${keys === undefined} or encode(rule_key, 'hex') = any (${keys ?? []}::text[]))`.execute(db);
  return Number(numAffectedRows ?? 0);
}

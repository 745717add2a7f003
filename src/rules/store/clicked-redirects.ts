import { query, sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { ProjectRange } from '../../platform/database/project-range.js';

/** A click on a page in the suggestions for a path. */
export interface ClickedRedirect {
  /** The hash of the plain old path. */
  key: Buffer;
  oldPath: string;
  pageId: string;
  lastSeenAt: string;
}

/** Stores clicks, and returns the event ids of those that are the first of their search on their page. */
export async function insertFirstClicks(
  trx: Trx,
  clicks: readonly { project_id: string; event_id: string; search_id: string; page_id: string; received_at: string }[],
): Promise<Set<string>> {
  if (clicks.length === 0) return new Set();
  const first = await query(sql<{ event_id: string }>`
    with clicks as materialized (
      select distinct on (project_id, search_id, page_id) * from jsonb_to_recordset(${JSON.stringify(clicks)}::jsonb)
             as i (project_id uuid, event_id text, search_id uuid, page_id text, received_at timestamptz)
       order by project_id, search_id, page_id, received_at
    ),
    counted as (
      insert into pathmend.counted_clicks (project_id, search_id, page_id, counted_at)
      select project_id, search_id, page_id, received_at from clicks order by project_id, search_id, page_id
      on conflict do nothing
      returning project_id, search_id, page_id
    )
    select c.event_id
      from clicks c
      join counted n on n.project_id = c.project_id and n.search_id = c.search_id
                    and n.page_id = c.page_id`).column(trx, 'event_id');
  return new Set(first);
}

/** Adds clicks to redirects. Clicks on deleted pages are left out. */
export async function addClickedRedirects(trx: Trx, projectId: string, clicks: readonly ClickedRedirect[]) {
  const rows = clicks.map(({ key, ...click }) => ({ ...click, key: key.toString('hex') }));
  await sql`
    insert into pathmend.learned_redirects as m (project_id, old_path_hash, page_id, old_path, clicks, last_seen_at)
    select ${projectId}::uuid, decode(i.key, 'hex'), p.page_id, i.old_path, i.clicks, i.seen
      from (select key, "oldPath" as old_path, "pageId" as page_id, count(*) as clicks, max("lastSeenAt") as seen
              from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
                   as r (key text, "oldPath" text, "pageId" text, "lastSeenAt" timestamptz)
             group by 1, 2, 3) as i
      join pathmend.pages p on p.project_id = ${projectId} and p.page_id = i.page_id
     order by p.page_id
       -- Waits for pages that are being deleted, and leaves them out: their foreign keys would fail.
       for key share of p
    on conflict (project_id, old_path_hash, page_id) do update set
      clicks = m.clicks + excluded.clicks, last_seen_at = greatest(m.last_seen_at, excluded.last_seen_at)`.execute(trx);
}

/** Reads the clicks on each page for each of these old paths; keys are in hexadecimal. */
export function readClicks(trx: Trx, projectId: string, keys: readonly Buffer[]) {
  return query(sql<{ key: string; page_id: string; clicks: number }>`
    select encode(old_path_hash, 'hex') as key, page_id, clicks::float8 as clicks
      from pathmend.learned_redirects
     where project_id = ${projectId} and old_path_hash = any (${keys}::bytea[])
     order by page_id`).rows(trx);
}

/** Deletes the learned redirects by clicks without a click since `before`; returns their projects. */
export async function dropStaleRedirects(trx: Trx, before: Date, { from, to }: ProjectRange): Promise<string[]> {
  const counted = trx.deleteFrom('pathmend.counted_clicks').where('counted_at', '<', before);
  await counted.where('project_id', '>=', from).where('project_id', '<=', to).execute();
  return query(sql<{ project_id: string }>`
    with dropped as (
      delete from pathmend.learned_redirects
       where project_id between ${from} and ${to} and last_seen_at < ${before}
      returning project_id
    )
    select distinct project_id from dropped order by project_id`).column(trx, 'project_id');
}

/** The searches for one path, or with one question, with a click on one page. */
export interface LearnedClick {
  /** A plain path, or a question in lower case. */
  path: string;
  is_question: boolean;
  url: string;
  searches: number;
  last_seen_at: Date;
  /** The number of searches with a click on any page for this path. */
  all_searches: number;
}

/**
 * Lists what clicks taught about paths, and with `questions` about these, too, ordered by path or question and url,
 * starting after `after`.
 */
export function listLearnedClicks(
  db: Db,
  projectId: string,
  after: Pick<LearnedClick, 'path' | 'url'> | undefined,
  limit: number,
  { questions = false } = {},
): Promise<LearnedClick[]> {
  const [path, url] = [after?.path ?? null, after?.url ?? null];
  const clickedQuestions = sql`
               union all
              select question, question_hash, page_id, clicks, last_clicked_at, true
                from pathmend.clicked_questions where project_id = ${projectId}`;
  return query(sql<LearnedClick>`
    select * from (
      select m.path, m.is_question, p.url, m.clicks::float8 as searches, m.last_seen_at,
             (sum(m.clicks) over (partition by m.is_question, m.hash))::float8 as all_searches
        from (select old_path as path, old_path_hash as hash, page_id, clicks, last_seen_at, false as is_question
                from pathmend.learned_redirects where project_id = ${projectId} ${questions ? clickedQuestions : sql``}) as m
        join pathmend.pages p on p.project_id = ${projectId} and p.page_id = m.page_id
    ) as r
     where ${path}::text is null
        or (path collate "C", url collate "C") > (${path}::text collate "C", ${url}::text collate "C")
     order by path collate "C", url collate "C" limit ${limit}`).rows(db);
}

/** The maximum number of searches that are counted: a sample, since their ids are random. */
const MAX_SEARCHES = 100_000;

/** Counts, by dead path, the searches of the last 90 days whose links people saw, and those of them without a click. */
export function countShownLinks(db: Db, projectId: string) {
  return query(sql<{ input: string; shown: number; unclicked: number }>`
    select split_part(input, '?', 1) as input, count(*)::int as shown,
           (count(*) filter (where clicked_rank is null))::int as unclicked
      from (select input, clicked_rank from pathmend.searches
             where project_id = ${projectId} and (searched_at at time zone 'UTC')::date > current_date - 90
               and kind in ('suggest', 'proxy', 'not-found') and results <> '[]'
               and not (is_test or of_others or redirected)
             order by search_id limit ${MAX_SEARCHES}) as sample
     group by 1`).rows(db);
}

/** Deletes the learned redirects by clicks of one path, or of all; returns how many. */
export async function deleteLearnedClicks(trx: Trx, projectId: string, key: Buffer | undefined): Promise<number> {
  const ofProject = trx.deleteFrom('pathmend.learned_redirects').where('project_id', '=', projectId);
  const meant = key === undefined ? ofProject : ofProject.where('old_path_hash', '=', key);
  return Number((await meant.executeTakeFirst()).numDeletedRows);
}

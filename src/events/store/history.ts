import { sql } from '../../platform/database/sql.js';
import type { SummedNotFound } from '../../analytics/store/rollups.js';
import type { Trx } from '../../platform/database/db.js';

/** Clicks and 404s have these columns in common. */
export type EventRow = Pick<NotFoundRow, 'project_id' | 'event_id' | 'received_at' | 'raw_path' | 'origin' | 'is_test'>;

export interface ClickRow extends EventRow {
  occurred_at: string;
  search_id: string;
  clicked_url: string;
  clicked_rank: number;
}

export interface NotFoundRow extends SummedNotFound {
  event_id: string;
  user_agent: string | null;
  visitor_ip: string | null;
  search_id: string | null;
  key_id: string | null;
  /** The requested host, if only X-Original-Host names it. */
  host: string | null;
}

/**
 * Stores clicks, except stored ones (by their job, or an equal click) and those of deleted projects. Returns their ids.
 * The transactions of a project and day have waited for each other, to count their events.
 */
export async function insertClicks(trx: Trx, rows: readonly ClickRow[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const { rows: stored } = await sql<{ event_id: string }>`
    insert into pathmend.clicks
      (project_id, event_id, received_at, occurred_at, search_id, clicked_url, clicked_rank, raw_path, origin, is_test)
    select i.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as i
      (project_id uuid, event_id uuid, received_at timestamptz, occurred_at timestamptz, search_id uuid,
       clicked_url text, clicked_rank bigint, raw_path text, origin text, is_test boolean)
      join pathmend.projects p on p.project_id = i.project_id
     where not exists (
       select from pathmend.clicks c where c.project_id = i.project_id and c.search_id = i.search_id
          and c.event_id = i.event_id
          and (c.received_at at time zone 'UTC')::date >= (i.received_at at time zone 'UTC')::date - 1)
    on conflict do nothing
    returning event_id`.execute(trx);
  return new Set(stored.map((row) => row.event_id));
}

export interface ClickedSearch {
  /** Whether a dead path was searched for; else it was a question. */
  ofPath: boolean;
  input: string;
  results: { page_id: string; url: string; score: number }[];
}

const IS_OF_PATH = sql`s.kind in ('suggest', 'proxy', 'not-found')`;

/** Finds the searches that clicks refer to, by event id. Robots follow links: their questions are left out. */
export async function findClickedSearches(trx: Trx, clicks: readonly ClickRow[], since: Date) {
  const { rows } = await sql<ClickedSearch & { event_id: string }>`
    select c.event_id, ${IS_OF_PATH} as "ofPath", s.input, s.results
      from unnest(${clicks.map((c) => c.project_id)}::uuid[], ${clicks.map((c) => c.event_id)}::uuid[],
                  ${clicks.map((c) => c.search_id)}::uuid[])
           as c (project_id, event_id, search_id)
      join pathmend.searches s on s.project_id = c.project_id and s.search_id = c.search_id
       -- The condition on the day selects the weekly partitions.
       and (s.searched_at at time zone 'UTC')::date >= (${since}::timestamptz at time zone 'UTC')::date
     where not s.is_test and (not s.of_others or ${IS_OF_PATH})`.execute(trx);
  return new Map(rows.map(({ event_id, ...search }) => [event_id, search]));
}

/** Like {@link insertClicks}. A search is of one 404: another event that names it is about the same, and left out. */
export async function insertNotFounds(trx: Trx, rows: readonly NotFoundRow[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const { rows: answer } = await sql<{ stored: string[] | null }>`
    with stored as (
    insert into pathmend.not_founds
      (project_id, event_id, received_at, raw_path, origin, referrer, user_agent, visitor, visitor_ip, is_test,
       outcome, search_id, key_id, host)
    select i.* from jsonb_to_recordset(${JSON.stringify(firstOfSearches(rows))}::jsonb) as i
      (project_id uuid, event_id uuid, received_at timestamptz, raw_path text, origin text, referrer text,
       user_agent text, visitor text, visitor_ip inet, is_test boolean, outcome text, search_id uuid,
       key_id uuid, host text)
      join pathmend.projects p on p.project_id = i.project_id
     where i.search_id is null or not exists (
       select from pathmend.not_founds n
        where n.project_id = i.project_id and n.search_id = i.search_id
          and (n.received_at at time zone 'UTC')::date between (i.received_at at time zone 'UTC')::date - 1
                                                           and (i.received_at at time zone 'UTC')::date + 1)
    on conflict do nothing
    returning event_id)
    select array_agg(event_id) as stored from stored`.execute(trx);
  return new Set(answer[0]?.stored);
}

function firstOfSearches(rows: readonly NotFoundRow[]): NotFoundRow[] {
  const seen = new Set<string>();
  return rows.filter(({ project_id, search_id }) => {
    if (search_id === null) return true;
    const key = `${project_id} ${search_id}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** Takes back rows that {@link insertNotFounds} stored. */
export async function deleteNotFounds(trx: Trx, rows: readonly NotFoundRow[]): Promise<void> {
  await sql`
    delete from pathmend.not_founds n
     using jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
           as i (project_id uuid, event_id uuid, received_at timestamptz)
     where n.project_id = i.project_id and n.event_id = i.event_id and n.received_at = i.received_at
       and (n.received_at at time zone 'UTC')::date = (i.received_at at time zone 'UTC')::date`.execute(trx);
}

/** Deletes a project's events. Partitions have no foreign keys, because these make dropping them slow. */
export async function eraseProjectEvents(trx: Trx, projectId: string): Promise<void> {
  await trx.deleteFrom('pathmend.clicks').where('project_id', '=', projectId).execute();
  await trx.deleteFrom('pathmend.not_founds').where('project_id', '=', projectId).execute();
  await trx.deleteFrom('pathmend.refused_events').where('project_id', '=', projectId).execute();
  await trx.deleteFrom('pathmend.history_days').where('project_id', '=', projectId).execute();
}

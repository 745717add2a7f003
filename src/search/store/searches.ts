import { countSearches } from '../../analytics/store/rollups.js';
import { countDays, groupByDay, selectOverLimit, type OverLimit } from '../../events/store/history-days.js';
import type { LedBy, SearchKind } from '../../base/glossary.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { query, sql } from '../../platform/database/sql.js';

export interface SearchRow {
  project_id: string;
  search_id: string;
  searched_at: string;
  kind: SearchKind;
  is_test: boolean;
  input: string;
  understood: string;
  filtered: boolean;
  threshold: number;
  results: readonly { page_id: string; url: string; score: number; by?: LedBy | undefined }[];
  best_score: number | null;
  cached: boolean;
  took_ms: number;
  /** Whether no person searched, as far as is known; a 404 that names the search knows better. */
  of_others: boolean;
  redirected: boolean;
  /** Whether a trial held a redirect back. */
  would_redirect: boolean;
  /** Absent from generated searches. */
  key_id?: string;
  /** The answer leads to this address, if that is not the first of `results`. */
  led_to?: string | undefined;
}

/** Stores searches within their projects' limits for a day. Those beyond are only counted, and returned. */
export async function insertSearches(db: Db, rows: readonly SearchRow[], maxBytes: number): Promise<OverLimit[]> {
  const texts = rows.map((row) => JSON.stringify(row));
  const sizes = texts.map((text) => Buffer.byteLength(text));
  const days = groupByDay(rows.map(({ project_id, searched_at: at }, i) => ({ project_id, at, bytes: sizes[i] ?? 0 })));
  const { rows: beyond } = await sql<OverLimit | { [name in keyof OverLimit]: null }>`
    with counted as (${countDays('searches', days, maxBytes)}),
    stored as (
    insert into pathmend.searches
      (project_id, search_id, searched_at, kind, is_test, input, understood, filtered, threshold, results, best_score,
       cached, took_ms, of_others, redirected, would_redirect, key_id, led_to)
    select i.* from jsonb_to_recordset(${`[${texts.join(',')}]`}::jsonb) as i
      (project_id uuid, search_id uuid, searched_at timestamptz, kind text, is_test boolean, input text,
       understood text, filtered boolean, threshold double precision, results jsonb, best_score double precision,
       cached boolean, took_ms double precision, of_others boolean, redirected boolean,
       would_redirect boolean, key_id uuid, led_to text)
      join counted c on c.project_id = i.project_id and c.day = (i.searched_at at time zone 'UTC')::date and c.fits
    on conflict do nothing
    returning *),
    facts as (
      select jsonb_agg(jsonb_build_object(
               'project_id', project_id, 'at', searched_at, 'kind', kind, 'input', input, 'understood', understood,
               'filtered', filtered, 'best_score', best_score, 'took_ms', took_ms,
               'of_others', of_others, 'redirected', redirected, 'n', 1,
               'scores', (select coalesce(jsonb_agg(r -> 'score'), '[]') from jsonb_array_elements(results) as r))) as facts
        from stored where not is_test)
    select beyond.*, rolled_up.done
      -- Read whether or not anything is beyond: what nobody reads is not run.
      from (select case when facts is not null then ${countSearches(sql`facts`)}::text end as done from facts) as rolled_up
      left join (${selectOverLimit(days)}) as beyond on true`.execute(db);
  return beyond.flatMap(({ project_id, day, rows, first }) =>
    project_id === null ? [] : [{ project_id, day, rows, first }],
  );
}

/** Finds what a search answered at a rank. `pageUrl`: null if it is deleted. `isCounted`: the event is stored. */
export function findSuggestion(db: Db, projectId: string, searchId: string, rank: number, eventId: string) {
  return query(sql<{ input: string; url: string; pageUrl: string | null; isCounted: boolean }>`
    select s.input, r.url, p.url as "pageUrl",
           exists (select from pathmend.clicks c where c.project_id = ${projectId} and c.search_id = ${searchId}
                      and c.event_id = ${eventId}) as "isCounted"
      from pathmend.searches s
     cross join lateral jsonb_to_record(s.results -> ${rank - 1}::int) as r (page_id text, url text)
      left join pathmend.pages p on p.project_id = ${projectId} and p.page_id = r.page_id
     where s.project_id = ${projectId} and s.search_id = ${searchId} and r.url is not null`).first(db);
}

/** Erases searches of a week, or not far from it. Returns the Monday of the week of each erased search. */
export function eraseSearches(trx: Trx, projectId: string, week: string, ids: readonly string[]): Promise<string[]> {
  return query(sql<{ week: string }>`
    delete from pathmend.searches where project_id = ${projectId} and search_id = any (${ids}::uuid[])
       and (searched_at at time zone 'UTC')::date between ${week}::date - 8 and ${week}::date + 14
    returning date_trunc('week', searched_at at time zone 'UTC')::date::text as week`).column(trx, 'week');
}

/** Deletes a project's searches. */
export async function eraseProjectSearches(trx: Trx, projectId: string): Promise<void> {
  await trx.deleteFrom('pathmend.searches').where('project_id', '=', projectId).execute();
}

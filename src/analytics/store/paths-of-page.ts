import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { PageStatus } from '../../base/glossary.js';
import { pageSummary, type PageSummary } from '../../pages/store/page-listing.js';
import type { Db } from '../../platform/database/db.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { figuresOf } from './not-founds.js';
import { matchesTarget, selectTargetOf } from '../../rules/store/rules-of-path.js';

export interface PathOfPage {
  path: string;
  /** 404s of people; null: it was not met, or is not among those that are looked at. */
  people: number | null;
  /** The latest search for the path gave this score; null: it is a redirect. */
  score: number | null;
  last_human: Date | null;
}

/** Dead paths that lead to a page: those whose latest search found it first, by people. */
export function selectPathsFound({ projectId, db }: Tenant, pageId: string, limit: number): Promise<PathOfPage[]> {
  return query(sql<PathOfPage>`
    select path, people::float8 as people, best_score::float8 as score, last_seen_by_people as last_human
      from analytics.missing_paths m
     where project_id = ${projectId} and best_page_id = ${pageId} and m.people > 0
     order by m.people desc, path_hash limit ${limit}`).rows(db);
}

/** Old paths whose redirect leads to a page. */
export function selectPathsRedirected({ projectId, db }: Tenant, pageId: string, limit: number): Promise<PathOfPage[]> {
  return query(sql<PathOfPage>`
    select v.path, f.people::float8 as people, null::float8 as score, f.last_seen_by_people as last_human
      from (select r.path, coalesce(r.plain_key, r.rule_key) as rule_key
              from pathmend.pages o
              join pathmend.rules r on r.project_id = o.project_id and ${matchesTarget(sql`o.path_key`)} and r.prefix is null
             cross join lateral (${selectTargetOf(projectId)}) as p
             where o.project_id = ${projectId} and o.page_id = ${pageId} and p.page_id = o.page_id
             order by r.rule_key limit ${limit}) as v
      left join lateral (select m.path_hash from pathmend.missing_paths m
                          where m.project_id = ${projectId} and m.plain_hash = v.rule_key
                          order by m.path_hash limit 1) as m on true
      left join lateral ${figuresOf(projectId, sql`m.path_hash`)} as f on true
     order by f.people desc nulls last, v.rule_key`).rows(db);
}

export interface MissedPage extends PageSummary {
  /** So many people met the missing paths that lead to it. */
  people: number;
}

/** Pages that missing paths lead to: those whose latest search found them first, by people. */
export function selectMissedPages(
  { projectId, db }: Tenant,
  { text, status }: { text: string; status?: PageStatus | undefined },
  limit: number,
): Promise<MissedPage[]> {
  return query(sql<MissedPage>`
    select ${pageSummary}, g.people
      from (select best_page_id, sum(people)::float8 as people from analytics.missing_paths
             where project_id = ${projectId} and people > 0 group by 1) as g
      join pathmend.pages p on p.project_id = ${projectId} and p.page_id = g.best_page_id
     where position(lower(${text}) in lower(p.url || ' ' || coalesce(p.title, ''))) > 0
       ${status === undefined ? sql`` : sql`and p.status = ${status}`}
     order by g.people desc, p.page_id limit ${limit}`).rows(db);
}

export interface QuestionOfPage {
  question: string;
  /** Searches that answered with the page, among those that are looked at. */
  searches: number;
  place: number;
  clicked: number;
  last_searched: Date;
}

/** The maximum number of searches that are read: the latest of any kind. */
const MAX_SEARCHES = 10_000;

/**
 * A condition on `analytics.searches`: the latest of a project, in ninety days. No index orders searches by their time,
 * so the days that have enough of them are found first, by their sums.
 */
export async function isLatestSearch(db: Db, projectId: string): Promise<Sql> {
  const latest = await query(sql<{ day: string; since: Date | null }>`
    select d.day::text as day,
           (select s.searched_at from pathmend.searches s
             where s.project_id = ${projectId} and (s.searched_at at time zone 'UTC')::date >= d.day
             order by s.searched_at desc offset ${MAX_SEARCHES - 1} limit 1) as since
      from (select day, sum(stored) over (order by day desc) as searches from pathmend.history_days
             where project_id = ${projectId} and what = 'searches' and day > current_date - 90) as d
     where d.searches >= ${MAX_SEARCHES} order by d.day desc limit 1`).first(db);
  const isLate = latest
    ? sql`day >= ${latest.day}::date ${latest.since ? sql`and at >= ${latest.since}` : sql``}`
    : sql`true`;
  return sql`project_id = ${projectId} and day > current_date - 90 and ${isLate}`;
}

/** Questions that were answered with a page, or any; most asked first, among the latest searches of a project. */
export async function selectQuestionsFound(db: Db, projectId: string, pageId: string | undefined, limit: number) {
  const place =
    pageId === undefined
      ? sql`1`
      : sql`(select r.place from jsonb_array_elements(s.results) with ordinality as r (value, place)
              where r.value ->> 'page_id' = ${pageId} limit 1)`;
  return query(sql<QuestionOfPage>`
    select min(f.input) as question, count(*)::float8 as searches, min(f.place)::float8 as place,
           (count(*) filter (where f.clicked_position = f.place))::float8 as clicked, max(f.at) as last_searched
      from (select s.understood, s.input, s.at, s.clicked_position, ${place} as place
              from analytics.searches s
             where ${await isLatestSearch(db, projectId)} and s.kind in ('semantic-search', 'search')) as f
     where f.place is not null
     group by lower(f.understood) order by count(*) desc, max(f.at) desc limit ${limit}`).rows(db);
}

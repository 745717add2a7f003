import { sql } from '../../platform/database/sql.js';
import type { RuleKind, Visitor } from '../../base/glossary.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import type { RecoveryDay } from './recovery.js';
import { wildcardPrefixesOf } from '../../rules/store/wildcard-redirects.js';

/** The last `days` UTC days with `today`, as `2026-11-24`, and what of them is meant. */
export interface Period {
  today: string;
  days: number;
  /** 404s of one origin alone. */
  origin?: string | undefined;
  /** Kinds of visitors; people and unknown ones, unless given. */
  visitors?: readonly Visitor[] | undefined;
  /** Paths that begin so. */
  prefix?: string | undefined;
}

/** Origins of 404s with most of them first; those that told none are ''. */
export async function selectOrigins(
  { projectId, db }: Tenant,
  { today, days }: Period,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ origin: string }>`
    select d.origin from pathmend.not_found_days d
     where d.project_id = ${projectId} and d.day > ${today}::date - ${days}::int and d.day <= ${today}::date
     group by d.origin order by sum(d.hits) desc, d.origin limit ${limit}`.execute(db);
  return rows.map(({ origin }) => origin);
}

export interface OutcomeRow extends Record<RecoveryDay['outcome'], number> {
  /** The day, or the kind of visitor. */
  of: string;
  hits: number;
}

/** What became of 404s: of the visitors that are meant by day, or of all by kind of visitor, most first. */
export async function selectOutcomes(
  { projectId, db }: Tenant,
  { today, days, origin, visitors = ['person', 'unknown'] }: Period,
  by: 'day' | 'visitor',
): Promise<OutcomeRow[]> {
  const { rows } = await sql<OutcomeRow>`
    select ${by === 'day' ? sql`d.day::text` : sql`d.visitor`} as of, sum(d.hits)::float8 as hits,
           coalesce(sum(d.hits) filter (where d.outcome = 'redirected'), 0)::float8 as redirected,
           coalesce(sum(d.hits) filter (where d.outcome = 'clicked'), 0)::float8 as clicked,
           coalesce(sum(d.hits) filter (where d.outcome = 'suggested'), 0)::float8 as suggested,
           coalesce(sum(d.hits) filter (where d.outcome = 'nothing'), 0)::float8 as nothing,
           coalesce(sum(d.hits) filter (where d.outcome = 'gone'), 0)::float8 as gone,
           coalesce(sum(d.hits) filter (where d.outcome = 'unlinked'), 0)::float8 as unlinked
      from pathmend.not_found_days d
     where d.project_id = ${projectId} and d.day > ${today}::date - ${days}::int and d.day <= ${today}::date
       ${origin === undefined ? sql`` : sql`and d.origin = ${origin}`}
       ${by === 'day' ? sql`and d.visitor = any (${visitors}::text[])` : sql``}
     group by 1 order by ${by === 'day' ? sql`1` : sql`2 desc, 1`}`.execute(db);
  return rows;
}

export interface MissedPath {
  path: string;
  people: number;
  recovered: number;
  robots: number;
  last_human: Date;
  best_url: string | null;
  best_score: number | null;
  best_at: Date | null;
}

/** Read at most, of those with most people. */
const MAX_READ = 20_000;

/** Paths that people met in these days, by all of their 404s that are kept. */
export async function selectMissedPaths(
  { projectId, db }: Tenant,
  { today, days, prefix }: Period,
  limit: number,
): Promise<MissedPath[]> {
  const { rows } = await sql<MissedPath>`
    select m.path, (m.people + m.unknown)::float8 as people, (m.redirected + m.clicked)::float8 as recovered,
           (m.assistants + m.search_engines + m.robots + m.scanners)::float8 as robots,
           m.last_human, m.best_url, m.best_score, m.best_at
      from (select * from pathmend.missing_paths m
             where m.project_id = ${projectId} and m.people + m.unknown > 0 and m.path_hash <> ''::bytea
             order by m.people + m.unknown desc, m.path_hash limit ${MAX_READ}) as m
     where m.last_human >= (${today}::date - ${days}::int + 1)::timestamp at time zone 'UTC'
       ${prefix === undefined ? sql`` : sql`and starts_with(m.path, ${prefix})`}
     order by m.people + m.unknown desc, m.path_hash limit ${limit}`.execute(db);
  return rows;
}

export interface RedirectEffect {
  /** Ends with a star where it is of all paths below one. */
  path: string;
  kind: RuleKind;
  /** Null: its page is not indexed. */
  target: string | null;
  added_at: Date;
  hits_before: number;
  recovered_before: number;
  hits_after: number;
  recovered_after: number;
}

/** As analytics.redirect_effects: 404s of people before and after a redirect was added; the latest ones. */
export async function selectRedirectEffects(
  { projectId, db }: Tenant,
  { today, days, prefix }: Period,
  limit: number,
): Promise<RedirectEffect[]> {
  const { rows } = await sql<RedirectEffect>`
    select r.path, r.kind, r.target, r.added_at,
           coalesce(r.hits_before, 0)::float8 as hits_before, coalesce(r.recovered_before, 0)::float8 as recovered_before,
           coalesce(r.hits_after, 0)::float8 as hits_after, coalesce(r.recovered_after, 0)::float8 as recovered_after
      from (
      select v.old_path as path, 'exact' as kind, x.path as target, v.added_at, e.*
        from (select m.*, coalesce(m.made_at, m.last_seen_at) as added_at
                from pathmend.moves m where m.project_id = ${projectId} and m.source = 'redirect'
                 and coalesce(m.made_at, m.last_seen_at) >= (${today}::date - ${days}::int + 1)::timestamp at time zone 'UTC'
                 ${prefix === undefined ? sql`` : sql`and starts_with(m.old_path, ${prefix})`}
               order by coalesce(m.made_at, m.last_seen_at) desc, m.old_path_hash limit ${limit}) as v
        left join pathmend.indexed_pages x on x.project_id = v.project_id and x.page_id = v.page_id
        left join lateral (
          select sum(d.hits) filter (where d.day < t.day) as hits_before,
                 sum(d.redirected + d.clicked) filter (where d.day < t.day) as recovered_before,
                 sum(d.hits) filter (where d.day > t.day) as hits_after,
                 sum(d.redirected + d.clicked) filter (where d.day > t.day) as recovered_after
            from (select (v.added_at at time zone 'UTC')::date as day) as t
            join pathmend.missing_paths m on m.project_id = v.project_id and m.plain_hash = v.old_path_hash
            join pathmend.path_days d on d.project_id = m.project_id and d.path_hash = m.path_hash
             and d.day between t.day - 28 and t.day + 28 and d.visitor in ('person', 'unknown')) as e on true
      union all
      select w.old_path || '*', case when w.old_prefix like '%#%' then 'pattern' else 'prefix' end, w.target, w.imported_at,
             sum(d.hits) filter (where d.day < w.day), sum(d.redirected + d.clicked) filter (where d.day < w.day),
             sum(d.hits) filter (where d.day > w.day), sum(d.redirected + d.clicked) filter (where d.day > w.day)
        from (select v.*, (v.imported_at at time zone 'UTC')::date as day
                from pathmend.wildcard_redirects v where v.project_id = ${projectId} and v.action = 'redirect'
                 and v.imported_at >= (${today}::date - ${days}::int + 1)::timestamp at time zone 'UTC'
                 ${prefix === undefined ? sql`` : sql`and starts_with(v.old_path, ${prefix})`}
               order by v.imported_at desc, v.old_prefix limit 100) as w
        left join (
          select b.* from (
            -- The prefix that decides about each path: the longest, else the longest with numbers.
            select distinct on (m.path_hash) m.path_hash, m.people, v.old_prefix
              from (select m.path_hash, m.people + m.unknown as people, m.path
                      from pathmend.missing_paths m
                     where m.project_id = ${projectId} and m.people + m.unknown > 0 and m.path_hash <> ''::bytea
                       and exists (select from pathmend.wildcard_redirects v where v.project_id = ${projectId})
                       and not exists (select from pathmend.moves v where v.project_id = ${projectId}
                                          and v.old_path_hash = m.plain_hash and v.source = 'redirect')
                     order by m.people + m.unknown desc, m.path_hash limit 5000) as m
             cross join lateral (${wildcardPrefixesOf(sql`m.path`)}) as k
              join pathmend.wildcard_redirects v on v.project_id = ${projectId} and v.old_prefix = k.prefix
             order by m.path_hash, v.old_prefix like '%#%', length(v.old_prefix) desc) as b
           order by b.people desc, b.path_hash limit 500) as b on b.old_prefix = w.old_prefix
        left join pathmend.path_days d on d.project_id = w.project_id and d.path_hash = b.path_hash
         and d.day between w.day - 28 and w.day + 28 and d.visitor in ('person', 'unknown')
       group by w.old_prefix, w.old_path, w.target, w.imported_at) as r
     order by r.added_at desc, r.path limit ${limit}`.execute(db);
  return rows;
}

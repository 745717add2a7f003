import { sql, type Sql } from '../../platform/database/sql.js';
import type { RuleKind, Visitor } from '../../base/glossary.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { mostMissed } from '../../rules/store/path-rules.js';
import { OUTCOMES, type Outcome } from './recovery.js';
import { selectTargetOf } from '../../rules/store/rules-of-path.js';

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

/** Rows (as d) of the project and of the days. */
export function during({ projectId }: Pick<Tenant, 'projectId'>, { today, days }: Period): Sql {
  return sql`d.project_id = ${projectId} and d.day > ${today}::date - ${days}::int and d.day <= ${today}::date`;
}

/** The moment at which the days begin. */
export function since({ today, days }: Period): Sql {
  return sql`(${today}::date - ${days}::int + 1)::timestamp at time zone 'UTC'`;
}

/** Paths that begin as the period says. */
export function below({ prefix }: Period, path: Sql): Sql {
  return prefix === undefined ? sql`` : sql`and starts_with(${path}, ${prefix})`;
}

/** Origins of 404s with most of them first; '' for those without one. */
export function selectOrigins(tenant: Tenant, period: Period, limit: number): Promise<string[]> {
  return sql<{ origin: string }>`
    select d.origin from pathmend.not_found_days d
     where ${during(tenant, period)}
     group by d.origin order by sum(d.hits) desc, d.origin limit ${limit}`.column(tenant.db, 'origin');
}

export interface OutcomeRow extends Record<Outcome, number> {
  /** The day, or the kind of visitor. */
  of: string;
  hits: number;
}

const hitsOf = (outcome: Outcome): Sql =>
  sql`coalesce(sum(d.hits) filter (where d.outcome = ${outcome}), 0)::float8 as ${sql.ref(outcome)}`;

type CertainDay = Record<'redirected' | 'confirmed' | 'contradicted', number> & { day: string };

/** Counts people's redirects that proved right or wrong, by day; as analytics.recovery_by_path has it. */
export function selectCertainDays(tenant: Tenant, period: Period): Promise<CertainDay[]> {
  return sql<CertainDay>`
    select d.day::text as day, sum(d.redirected)::float8 as redirected,
           sum(d.clicked + case when j.is_right then d.redirected else 0 end)::float8 as confirmed,
           sum(case when not j.is_right and d.day <= j.day then d.redirected else 0 end)::float8 as contradicted
      from pathmend.path_days d
      left join (select distinct on (j.path_hash) j.path_hash, j.is_right, (j.judged_at at time zone 'UTC')::date as day
                   from pathmend.judgements j
                  where j.project_id = ${tenant.projectId} and j.is_right is not null
                  order by j.path_hash, j.judged_at desc) as j on j.path_hash = d.path_hash
     where ${during(tenant, period)} and d.visitor in ('person', 'unknown')
     group by 1 order by 1`.rows(tenant.db);
}

/** Outcomes of 404s: of the visitors that are meant by day, or of all by kind of visitor, most first. */
export function selectOutcomes(tenant: Tenant, period: Period, by: 'day' | 'visitor'): Promise<OutcomeRow[]> {
  const { origin, visitors = ['person', 'unknown'] } = period;
  return sql<OutcomeRow>`
    select ${by === 'day' ? sql`d.day::text` : sql`d.visitor`} as of, sum(d.hits)::float8 as hits,
           ${sql.join(OUTCOMES.map(hitsOf))}
      from pathmend.not_found_days d
     where ${during(tenant, period)}
       ${origin === undefined ? sql`` : sql`and d.origin = ${origin}`}
       ${by === 'day' ? sql`and d.visitor = any (${visitors}::text[])` : sql``}
     group by 1 order by ${by === 'day' ? sql`1` : sql`2 desc, 1`}`.rows(tenant.db);
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
export function selectMissedPaths({ projectId, db }: Tenant, period: Period, limit: number): Promise<MissedPath[]> {
  return sql<MissedPath>`
    select m.path, (m.people + m.unknown)::float8 as people, (m.redirected + m.clicked)::float8 as recovered,
           (m.assistants + m.search_engines + m.robots + m.scanners)::float8 as robots,
           m.last_human, m.best_url, m.best_score, m.best_at
      from (${mostMissed(projectId, MAX_READ)}) as m
     where m.last_human >= ${since(period)}
       ${below(period, sql`m.path`)}
     order by m.people + m.unknown desc, m.path_hash limit ${limit}`.rows(db);
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

/** Selects 404s of people before and after a redirect was added, as analytics.redirect_effects does; the latest. */
export function selectRedirectEffects({ projectId, db }: Tenant, period: Period, limit: number) {
  const recent = sql`r.project_id = ${projectId} and r.action = 'redirect' and r.made_at >= ${since(period)}
                     ${below(period, sql`r.path`)}`;
  return sql<RedirectEffect>`
    select r.path, r.kind, r.target, r.added_at,
           coalesce(r.hits_before, 0)::float8 as hits_before, coalesce(r.recovered_before, 0)::float8 as recovered_before,
           coalesce(r.hits_after, 0)::float8 as hits_after, coalesce(r.recovered_after, 0)::float8 as recovered_after
      from (
      select r.path, 'exact' as kind, x.path as target, r.made_at as added_at, e.*
        from (select r.* from pathmend.rules r where ${recent} and r.prefix is null and r.pattern_start is null
               order by r.made_at desc, r.rule_key limit ${limit}) as r
       cross join lateral (${selectTargetOf(projectId)}) as p
        left join pathmend.indexed_pages x on x.project_id = r.project_id and x.page_id = p.page_id
        left join lateral (
          select sum(d.hits) filter (where d.day < t.day) as hits_before,
                 sum(d.redirected + d.clicked) filter (where d.day < t.day) as recovered_before,
                 sum(d.hits) filter (where d.day > t.day) as hits_after,
                 sum(d.redirected + d.clicked) filter (where d.day > t.day) as recovered_after
            from (select (r.made_at at time zone 'UTC')::date as day) as t
            join pathmend.missing_paths m on m.project_id = r.project_id and m.plain_hash = coalesce(r.plain_key, r.rule_key)
            join pathmend.path_days d on d.project_id = m.project_id and d.path_hash = m.path_hash
             and d.day between t.day - 28 and t.day + 28 and d.visitor in ('person', 'unknown')) as e on true
      union all
      select w.path, case when w.prefix like '%#%' or w.prefix is null then 'pattern' else 'prefix' end, w.target, w.made_at,
             sum(d.hits) filter (where d.day < w.day), sum(d.redirected + d.clicked) filter (where d.day < w.day),
             sum(d.hits) filter (where d.day > w.day), sum(d.redirected + d.clicked) filter (where d.day > w.day)
        from (select r.*, (r.made_at at time zone 'UTC')::date as day
                from pathmend.rules r where ${recent} and (r.prefix is not null or r.pattern_start is not null)
               order by r.made_at desc, r.rule_key limit 100) as w
        left join (
          -- The paths about which each wildcard decides.
          select m.path_hash, c.rule_key
            from (${mostMissed(projectId, 5_000)}) as m
            join pathmend.path_rules c on c.project_id = ${projectId} and c.path_hash = m.path_hash
           where not exists (select from pathmend.rules v where v.project_id = ${projectId}
                                and v.rule_key = m.plain_hash and v.action = 'redirect')
           order by m.people + m.unknown desc, m.path_hash limit 500) as b on b.rule_key = w.rule_key
        left join pathmend.path_days d on d.project_id = w.project_id and d.path_hash = b.path_hash
         and d.day between w.day - 28 and w.day + 28 and d.visitor in ('person', 'unknown')
       group by w.rule_key, w.prefix, w.path, w.target, w.made_at) as r
     order by r.added_at desc, r.path limit ${limit}`.rows(db);
}

import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import { type Days, daysBefore } from '../range.js';
import type { RuleKind, Visitor } from '../../base/glossary.js';
import type { Tenant } from '../../platform/database/session/tenants.js';

export const OUTCOMES = ['redirected', 'clicked', 'suggested', 'nothing', 'gone', 'unlinked'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface RecoveryDay {
  project_id: string;
  /** The UTC day is written as in `2026-11-24`. */
  day: string;
  outcome: Outcome;
  /** 404s of people and unknown visitors. */
  hits: number;
}

/** Outcomes of people's 404s of some projects, by day. */
export function selectRecoveryDays(db: Db, projectIds: readonly string[], { from, to }: Days) {
  const outcomes = OUTCOMES.map((outcome) => sql`(${outcome}, d.${sql.ref(outcome)})`);
  return query(sql<RecoveryDay>`
    select d.project_id, d.day::text as day, o.outcome, sum(o.hits)::float8 as hits
      from analytics.recovery_daily d
     cross join lateral (values ${sql.join(outcomes)}) as o (outcome, hits)
     where d.project_id = any (${projectIds}::uuid[]) and d.day between ${from}::date and ${to}::date
     group by 1, 2, 3 having sum(o.hits) > 0 order by 1, 2, 3`).rows(db);
}

/** Finds the time of the latest stored 404, of any kind of visitor. */
export async function findLastNotFound(db: Db, projectId: string): Promise<Date | null> {
  return query(sql<{ last: Date | null }>`
    select max(last_seen) as last from analytics.recovery_by_path_all
     where project_id = ${projectId}
       and day = (select max(day) from analytics.recovery_daily_all where project_id = ${projectId})
  `).value(db, 'last', null);
}

/** The days of a report, and the filters for their 404s. */
export interface Period extends Days {
  /** 404s of one origin alone; '' for those without one. */
  origin?: string | undefined;
  /** Kinds of visitors; people and unknown ones, unless given. */
  visitors?: readonly Visitor[] | undefined;
  /** Only paths that begin with this text. */
  prefix?: string | undefined;
}

/** Rows of the project and of the days, in a view with a column `day`. */
export function during({ projectId }: Pick<Tenant, 'projectId'>, { from, to }: Days): Sql {
  return sql`project_id = ${projectId} and day between ${from}::date and ${to}::date`;
}

/** Whether something that lasted from `first` to `last` was there on the days. */
export function met(first: Sql, last: Sql, { from, to }: Days): Sql {
  return sql`${first} < (${to}::date + 1)::timestamp at time zone 'UTC' and ${last} >= ${from}::date::timestamp at time zone 'UTC'`;
}

/** A condition: the path begins with the prefix of the period, if it has one. */
export function below({ prefix }: Period, path: Sql): Sql {
  return prefix === undefined ? sql`` : sql`and starts_with(${path}, ${prefix})`;
}

/** Columns as numbers of JavaScript. */
export function numbers(...names: readonly string[]): Sql {
  return sql.join(names.map((name) => sql`${sql.ref(name)}::float8`));
}

/** Sums of columns as numbers of JavaScript. */
export function sums(...names: readonly string[]): Sql {
  return sql.join(names.map((name) => sql`sum(${sql.ref(name)})::float8 as ${sql.ref(name)}`));
}

/** The row of a path in `analytics.missing_paths` is looked up by the index: a plain join would read the whole view. */
export function figuresOf(projectId: string, hash: Sql): Sql {
  return sql`(select * from analytics.missing_paths where project_id = ${projectId} and path_hash = ${hash} offset 0)`;
}

/** Like {@link during}, with as many days before; {@link sumsNow} and {@link sumBefore} tell them apart. */
export function duringBoth(tenant: Pick<Tenant, 'projectId'>, days: Days): Sql {
  return during(tenant, { from: daysBefore(days).from, to: days.to });
}

/** A filter behind an aggregate, for the days themselves without those before. */
export function now({ from }: Days): Sql {
  return sql`filter (where day >= ${from}::date)`;
}

/** Sums of columns over the days themselves. */
export function sumsNow(days: Days, ...names: readonly string[]): Sql {
  return sql.join(names.map((name) => sql`(sum(${sql.ref(name)}) ${now(days)})::float8 as ${sql.ref(name)}`));
}

/** The sum of a column over the days before, as `before`. */
export function sumBefore({ from }: Days, name: string): Sql {
  return sql`coalesce(sum(${sql.ref(name)}) filter (where day < ${from}::date), 0)::float8 as before`;
}

/** Sums of columns over all rows of a query. */
export async function selectSums({ db }: Tenant, rows: Sql, columns: readonly string[]) {
  return (await query(sql<Record<string, number>>`select ${sums(...columns)} from (${rows}) as q`).first(db)) ?? {};
}

/** Origins of 404s with most of them first; '' for those without one. */
export function selectOrigins(tenant: Tenant, period: Period, limit: number): Promise<string[]> {
  return query(sql<{ origin: string }>`
    select coalesce(origin, '') as origin from analytics.recovery_daily_all
     where ${during(tenant, period)} group by 1 order by sum(hits) desc, 1 limit ${limit}`).column(tenant.db, 'origin');
}

export interface OutcomeRow extends Record<Outcome, number> {
  /** The day, or the kind of visitor. */
  of: string;
  hits: number;
}

/** Outcomes of 404s: of the visitors that are meant by day, or of all by kind of visitor, most first. */
export function selectOutcomes(tenant: Tenant, period: Period, by: 'day' | 'visitor'): Sql<OutcomeRow> {
  const { origin, visitors = ['person', 'unknown'] } = period;
  return sql<OutcomeRow>`
    select ${sql.ref(by)}::text as of, ${sums('hits', ...OUTCOMES)} from analytics.recovery_daily_all
     where ${during(tenant, period)}
       ${origin === undefined ? sql`` : sql`and coalesce(origin, '') = ${origin}`}
       ${by === 'day' ? sql`and visitor = any (${visitors}::text[])` : sql``}
     group by 1 order by ${by === 'day' ? sql`1` : sql`2 desc, 1`}`;
}

type CertainDay = Record<'redirected' | 'confirmed' | 'contradicted', number> & { day: string };

/** People's redirects that proved right or wrong, by day. */
export function selectCertainDays(tenant: Tenant, period: Period): Sql<CertainDay> {
  return sql<CertainDay>`
    with judged as (
      select day, sum(redirected_right) as redirected_right, sum(redirected_wrong) as redirected_wrong
        from analytics.judged_daily where ${during(tenant, period)} and visitor in ('person', 'unknown') group by 1)
    select d.day::text as day, d.redirected, d.clicked + coalesce(j.redirected_right, 0)::float8 as confirmed,
           coalesce(j.redirected_wrong, 0)::float8 as contradicted
      from (select day, ${sums('redirected', 'clicked')} from analytics.recovery_daily
             where ${during(tenant, period)} group by 1) as d
      left join judged j on j.day = d.day
     order by 1`;
}

export interface MissedPath {
  path: string;
  hits: number;
  /** Requests on as many days before. */
  before: number;
  recovered: number;
  last_seen: Date;
  best_suggestion: string | null;
  best_score: number | null;
  best_suggested_at: Date | null;
}

/** Paths that people requested on the days, most requests first. */
export function selectMissedPaths(tenant: Tenant, period: Period, limit: number): Promise<MissedPath[]> {
  return query(sql<MissedPath>`
    with missed as materialized (
      select path_hash, ${sums('hits', 'recovered')}, max(last_seen) as last_seen from analytics.recovery_by_path
       where ${during(tenant, period)} and path_hash <> ''::bytea ${below(period, sql`path`)}
       group by path_hash order by 2 desc, 1 limit ${limit})
    select m.path, d.hits, b.before, d.recovered, d.last_seen, m.best_suggestion, m.best_score::float8, m.best_suggested_at
      from missed d
     cross join lateral ${figuresOf(tenant.projectId, sql`d.path_hash`)} as m
     cross join lateral (select coalesce(sum(p.hits), 0)::float8 as before from analytics.recovery_by_path p
                          where ${during(tenant, daysBefore(period))} and p.path_hash = d.path_hash) as b
     order by d.hits desc, d.path_hash`).rows(tenant.db);
}

export interface RedirectEffect {
  /** The path of the rule. It ends with a star if the rule is for all paths below one. */
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

/** 404s of people before and after each redirect of the days was added, the latest first. */
export function selectRedirectEffects(tenant: Tenant, period: Period, limit: number): Promise<RedirectEffect[]> {
  return query(sql<RedirectEffect>`
    select path, kind, target, added_at, ${numbers('hits_before', 'recovered_before', 'hits_after', 'recovered_after')}
      from analytics.redirect_effects
     where project_id = ${tenant.projectId} and ${met(sql`added_at`, sql`added_at`, period)} ${below(period, sql`path`)}
     order by added_at desc, path limit ${limit}`).rows(tenant.db);
}

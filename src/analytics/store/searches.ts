import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { during, duringBoth, now, numbers, sumBefore, sums, sumsNow, type Period } from './not-founds.js';

/** Tenths of a score: 7 is 0.7 to 0.8. */
const BAND = sql`round(score_from * 10)::int as band`;

export interface PositionRow {
  /** 1 to 10; 10 is the tenth and all behind it. */
  position: number;
  shown: number;
  clicked: number;
}

/** Selects suggestions to people and their clicks, by place in the list. Visitors who were redirected are left out. */
export function selectPositions(tenant: Tenant, period: Period): Sql<PositionRow> {
  return sql<PositionRow>`
    select position, ${sums('shown', 'clicked')} from analytics.click_through_positions
     where ${during(tenant, period)} group by 1 having sum(shown) > 0 order by 1`;
}

export interface PositionByScore extends PositionRow {
  band: number;
  /** Clicks on as many days before. */
  before: number;
}

/** Selects the same as {@link selectPositions}, for each tenth of the score, the best first. */
export function selectPositionsByScore(tenant: Tenant, period: Period): Promise<PositionByScore[]> {
  return query(sql<PositionByScore>`
    select ${BAND}, position, ${sumsNow(period, 'shown', 'clicked')}, ${sumBefore(period, 'clicked')}
      from analytics.click_through_positions
     where ${duringBoth(tenant, period)} group by 1, 2 having sum(shown) ${now(period)} > 0 order by 1 desc, 2`).rows(
    tenant.db,
  );
}

export interface CalibrationRow {
  band: number;
  searches: number;
  clicked: number;
  /** The first suggestion of so many of these was clicked. */
  clicked_first: number;
}

/** Compares what the best score promised people with what they clicked. */
export function selectCalibration(tenant: Tenant, period: Period): Sql<CalibrationRow> {
  return sql<CalibrationRow>`
    select ${BAND}, ${sums('searches', 'clicked', 'clicked_first')} from analytics.calibration
     where ${during(tenant, period)} group by 1 having sum(searches) > 0 order by 1`;
}

export interface EmptySearchRow {
  kind: string;
  /** The path after sanitizing and spelling, or the question. */
  understood: string;
  example_input: string;
  searches: number;
  /** Searches on as many days before. */
  before: number;
  last_searched: Date;
}

/** Rows of searches that found nothing, to be added up. */
export function selectEmptyRows(tenant: Tenant, days: Period): Sql {
  return sql`select searches from analytics.searches_without_results where ${during(tenant, days)}`;
}

/** Unfiltered searches of people that found nothing, most asked for first. 1,000 a day have rows of their own. */
export function selectEmptySearches(tenant: Tenant, period: Period, limit: number | null): Sql<EmptySearchRow> {
  return sql<EmptySearchRow>`
    select kind, understood, min(example_input) as example_input, ${sumsNow(period, 'searches')},
           max(last_searched) as last_searched, ${sumBefore(period, 'searches')}
      from analytics.searches_without_results
     where ${duringBoth(tenant, period)} group by kind, understood having sum(searches) ${now(period)} > 0
     order by 4 desc, 5 desc, 2 limit ${limit}`;
}

export interface LatencyRow {
  /** The day, or the kind of search. */
  of: string;
  searches: number;
  /** Milliseconds: upper bounds, at most an eighth too high. */
  p50: number;
  p95: number;
  p99: number;
  /** 95% of as many days before took so many; null: there were none. */
  p95_before: number | null;
}

/** Selects how long searches of people took inside the service. */
export function selectLatency(tenant: Tenant, period: Period, by: 'day' | 'kind'): Sql<LatencyRow> {
  const within = (share: number, which = now(period)): Sql =>
    sql`pathmend.percentile_ms(${share}, array_agg(up_to_ms) ${which}, array_agg(searches) ${which})`;
  return sql<LatencyRow>`
    select ${sql.ref(by)}::text as of, ${sumsNow(period, 'searches')}, ${within(0.5)} as p50, ${within(0.95)} as p95,
           ${within(0.99)} as p99, ${within(0.95, sql`filter (where day < ${period.from}::date)`)} as p95_before
      from analytics.latency_buckets
     where ${duringBoth(tenant, period)} group by 1 having sum(searches) ${now(period)} > 0 order by 1`;
}

type UsageDay = Record<'searches' | 'events', number> & { day: string };

/** Searches and events of each day on which there were any, those beyond the limit included. */
export function selectUsage(tenant: Tenant, period: Period): Sql<UsageDay> {
  return sql<UsageDay>`
    select day::text as day, ${numbers('searches', 'events')} from analytics.plan_usage
     where ${during(tenant, period)} order by 1`;
}

type DayNotKept = Record<'stored' | 'not_kept', number> & { day: string; what: string };

/** Days on which more came than HISTORY_MB_PER_DAY keeps. */
export function selectDaysNotKept(tenant: Tenant, period: Period): Sql<DayNotKept> {
  return sql<DayNotKept>`
    select day::text as day, what, ${numbers('stored', 'not_kept')} from analytics.not_kept_daily
     where ${during(tenant, period)} order by 1 desc, 2`;
}

export interface IndexHealth extends Record<'searchable' | 'waiting' | 'failed' | 'words', number> {
  waiting_since: Date | null;
  last_indexed_at: Date | null;
}

/** Selects how many pages searches can find now; no row for a project without pages. */
export function selectIndexHealth({ projectId, db }: Tenant): Promise<IndexHealth[]> {
  return query(sql<IndexHealth>`
    select * from (
      select ${numbers('searchable', 'waiting', 'failed', 'words')}, waiting_since, last_indexed_at
        from analytics.index_health where project_id = ${projectId}) as h
     where searchable + waiting + failed > 0`).rows(db);
}

import { sql } from '../../platform/database/sql.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { during, type Period } from './not-founds.js';

export interface PositionRow {
  /** 1 to 10; 10 is the tenth and all behind it. */
  position: number;
  shown: number;
  clicked: number;
}

/** Suggestions to people and their clicks, by place in the list. Who was redirected was not asked. */
export function selectPositions(tenant: Tenant, period: Period): Promise<PositionRow[]> {
  return sql<PositionRow>`
    select d.position, sum(d.shown - d.others_shown)::float8 as shown, sum(d.clicked - d.others_clicked)::float8 as clicked
      from pathmend.position_days d
     where ${during(tenant, period)} and d.band >= 0
     group by d.position having sum(d.shown - d.others_shown) > 0 order by d.position`.rows(tenant.db);
}

export interface PositionByScore extends PositionRow {
  /** Tenths of the suggestion's score: 7 is 0.7 to 0.8. */
  band: number;
}

/** The same for each tenth of the score, the best first. */
export function selectPositionsByScore(tenant: Tenant, period: Period): Promise<PositionByScore[]> {
  return sql<PositionByScore>`
    select d.band, d.position, sum(d.shown)::float8 as shown, sum(d.clicked)::float8 as clicked
      from pathmend.position_days d
     where ${during(tenant, period)} and d.kind <> 'proxy' and d.band >= 0
     group by d.band, d.position order by d.band desc, d.position`.rows(tenant.db);
}

export interface CalibrationRow {
  /** Tenths of the best score: 7 is 0.7 to 0.8. */
  band: number;
  searches: number;
  clicked: number;
  /** The first suggestion of so many of these was clicked. */
  clicked_first: number;
}

/** Compares what the best score promised people with what they clicked. */
export function selectCalibration(tenant: Tenant, period: Period): Promise<CalibrationRow[]> {
  return sql<CalibrationRow>`
    select s.band, s.searches, s.clicked, coalesce(f.clicked, 0) as clicked_first
      from (select d.band, sum(d.searches - d.others)::float8 as searches, sum(d.clicked - d.others_clicked)::float8 as clicked
              from pathmend.search_days d
             where ${during(tenant, period)} and d.band >= 0
             group by d.band having sum(d.searches - d.others) > 0) as s
      left join (select d.band, sum(d.clicked - d.others_clicked)::float8 as clicked
                   from pathmend.position_days d
                  where ${during(tenant, period)} and d.position = 1 group by d.band) as f
        on f.band = s.band
     order by s.band`.rows(tenant.db);
}

export interface EmptySearchRow {
  kind: string;
  /** The path after sanitizing and spelling, or the question. */
  understood: string;
  example_input: string;
  searches: number;
  last_searched: Date;
}

/** Unfiltered searches of people that found nothing, most asked for first. 1,000 a day have rows of their own. */
export function selectEmptySearches(tenant: Tenant, period: Period, limit: number): Promise<EmptySearchRow[]> {
  return sql<EmptySearchRow>`
    select d.kind, min(d.understood) as understood, min(d.example_input) as example_input,
           sum(d.searches - d.others)::float8 as searches, max(d.last_searched) as last_searched
      from pathmend.empty_search_days d
     where ${during(tenant, period)}
     group by d.kind, d.query_hash having sum(d.searches - d.others) > 0
     order by sum(d.searches - d.others) desc, max(d.last_searched) desc, 2 limit ${limit}`.rows(tenant.db);
}

export interface LatencyRow {
  /** The day, or the kind of search. */
  of: string;
  searches: number;
  /** Milliseconds: upper bounds, at most an eighth too high. */
  p50: number;
  p95: number;
  p99: number;
}

/** Selects how long searches of people took inside the service. */
export function selectLatency(tenant: Tenant, period: Period, by: 'day' | 'kind'): Promise<LatencyRow[]> {
  return sql<LatencyRow>`
    select b.of, max(b.total)::float8 as searches,
           min(10 ^ ((b.bucket + 1) / 20.0)) filter (where b.so_far >= 0.50 * b.total)::float8 as p50,
           min(10 ^ ((b.bucket + 1) / 20.0)) filter (where b.so_far >= 0.95 * b.total)::float8 as p95,
           min(10 ^ ((b.bucket + 1) / 20.0)) filter (where b.so_far >= 0.99 * b.total)::float8 as p99
      from (select l.of, l.bucket, sum(l.searches) over (partition by l.of order by l.bucket) as so_far,
                   sum(l.searches) over (partition by l.of) as total
              from (select ${by === 'day' ? sql`d.day::text` : sql`d.kind`} as of, d.bucket, sum(d.searches - d.others) as searches
                      from pathmend.latency_days d where ${during(tenant, period)} group by 1, 2
                    having sum(d.searches - d.others) > 0) as l) as b
     group by b.of order by b.of`.rows(tenant.db);
}

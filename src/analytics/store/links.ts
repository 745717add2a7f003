import { sql } from '../../platform/database/sql.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { mostMissed } from '../../rules/store/path-rules.js';
import { since, type Period } from './not-founds.js';

/** Weeks that have one of the days. Each has 5,000 rows of a project at most. */
const during = ({ projectId }: Tenant, { today, days }: Period): ReturnType<typeof sql> =>
  sql`r.project_id = ${projectId} and r.week > ${today}::date - ${days}::int - 6 and r.week <= ${today}::date`;

export interface BrokenLinkRow {
  /** Url of the site's page that has the link, without query string. */
  page: string;
  /** The missing path. */
  link: string;
  /** The best suggestion; null: none. */
  target: string | null;
  score: number | null;
  /** When it was suggested. */
  answered_at: Date | null;
  people: number;
  other_visits: number;
  last_seen: Date | null;
}

/** Links of the site to its own missing paths, those that most people followed first. */
export function selectBrokenLinks(tenant: Tenant, period: Period, limit: number): Promise<BrokenLinkRow[]> {
  return sql<BrokenLinkRow>`
    select r.referrer as page, m.path as link, m.best_url as target, m.best_score as score, m.best_at as answered_at,
           r.people, r.other_visits, r.last_seen
      from (select r.path_hash, r.referrer, sum(r.human)::float8 as people, sum(r.others)::float8 as other_visits,
                   max(r.last_seen) as last_seen
              from pathmend.referrer_weeks r
             where ${during(tenant, period)} and r.own and r.path_hash <> ''::bytea and r.referrer <> '(other)'
             group by r.path_hash, r.referrer
             order by sum(r.human) desc, sum(r.others) desc, r.path_hash, r.referrer limit ${limit}) as r
      join pathmend.missing_paths m on m.project_id = ${tenant.projectId} and m.path_hash = r.path_hash
     order by r.people desc, r.other_visits desc, r.path_hash, r.referrer`.rows(tenant.db);
}

export interface ReferrerRow {
  /** Url without query string; (other): those beyond. */
  referrer: string;
  paths: number;
  /** One of them. */
  example: string | null;
  people: number;
  other_visits: number;
  last_seen: Date;
}

/** Pages of other sites that send visitors to missing paths. */
export function selectForeignReferrers(tenant: Tenant, period: Period, limit: number): Promise<ReferrerRow[]> {
  return sql<ReferrerRow>`
    select r.referrer, r.paths, m.path as example, r.people, r.other_visits, r.last_seen
      from (select r.referrer, count(distinct r.path_hash)::float8 as paths, sum(r.human)::float8 as people,
                   sum(r.others)::float8 as other_visits, max(r.last_seen) as last_seen, min(r.path_hash) as path_hash
              from pathmend.referrer_weeks r
             where ${during(tenant, period)} and r.own is not true
             group by r.referrer order by sum(r.human) desc, sum(r.others) desc, r.referrer limit ${limit}) as r
      left join pathmend.missing_paths m
        on m.project_id = ${tenant.projectId} and m.path_hash = r.path_hash and m.path_hash <> ''::bytea
     order by r.people desc, r.other_visits desc, r.referrer`.rows(tenant.db);
}

export interface ContentGapRow {
  /** The folder that the paths are in; null: they are in none. */
  topic: string | null;
  paths: number;
  people: number;
  not_recovered: number;
  examples: string[];
  /** The path of the first of them up to that folder, with slashes. */
  section: string | null;
  nearest_page: string | null;
  last_seen: Date;
}

/** The view analytics.content_gaps reads as many. */
const MAX_READ = 2_000;

/** Selects what people look for and the site does not have, of the paths with most people. */
export function selectContentGaps({ projectId, db }: Tenant, period: Period, limit: number): Promise<ContentGapRow[]> {
  return sql<ContentGapRow>`
    select translate(lower(substring(m.path from '/([^/]*[^0-9/._-]{3}[^/]*)/')), '-_+', '   ') as topic,
           count(*)::float8 as paths, sum(m.people + m.unknown)::float8 as people, sum(m.lost)::float8 as not_recovered,
           (array_agg(m.path order by m.lost desc, m.path))[1:3] as examples,
           substring((array_agg(m.path order by m.lost desc, m.path))[1] from '^(.*?/[^/]*[^0-9/._-]{3}[^/]*/)') as section,
           (array_agg(m.best_url order by m.best_score desc nulls last, m.best_url))[1] as nearest_page,
           max(m.last_human) as last_seen
      from (select m.*, m.suggested + m.nothing as lost from (${mostMissed(projectId, MAX_READ)}) as m) as m
     where m.lost > (m.people + m.unknown) * 0.5 and coalesce(m.best_score, 0) < 0.5
       and m.last_human >= ${since(period)}
     group by 1 order by sum(m.lost) desc, 1 nulls last limit ${limit}`.rows(db);
}

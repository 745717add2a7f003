import { query, sql, type Sql } from '../../platform/database/sql.js';
import { daysBefore } from '../range.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { below, figuresOf, met, numbers, type Period } from './not-founds.js';

export interface SuggestedRedirect {
  path: string;
  /** The inbox names the missing path so. */
  hash: string;
  target: string;
  /** Clicks of visitors of the path on the target, of all. */
  clicks: number;
  clicks_all: number;
  score: number;
  /** When it was answered so. */
  suggested_at: Date | null;
  people: number;
  not_redirected: number;
  /** People that it would have led to the right page: not_redirected × score. */
  gain: number;
  last_seen: Date;
}

/** Paths that people still meet without being redirected, with the page that they probably mean; most gain first. */
export function selectSuggestedRedirects({ projectId, db }: Tenant, period: Period, limit: number) {
  return query(sql<SuggestedRedirect>`
    select path, encode(sha256(convert_to(path, 'UTF8')), 'hex') as hash, target, suggested_at, last_seen,
           ${numbers('clicks', 'clicks_all', 'score', 'people', 'not_redirected', 'gain')}
      from analytics.redirects_worth_adding
     where project_id = ${projectId} and last_seen >= ${period.from}::date::timestamp at time zone 'UTC' ${below(period, sql`path`)}
     order by gain desc, path limit ${limit}`).rows(db);
}

export interface UnusedRule {
  path: string;
  action: string;
  target: string | null;
  added_at: Date;
}

/** Rules that answered nobody, the oldest first. Targets are looked up for these alone. */
export function selectUnusedRules({ projectId, db }: Tenant, period: Period, limit: number): Promise<UnusedRule[]> {
  return query(sql<UnusedRule>`
    with oldest as materialized (
      select path, added_at from analytics.redirects_without_hits
       where project_id = ${projectId} and added_at < (${period.to}::date + 1)::timestamp at time zone 'UTC' ${below(period, sql`path`)}
       order by added_at, path limit ${limit})
    select path, action, target, added_at from analytics.redirects_without_hits
     where project_id = ${projectId} and path = any (array(select path from oldest))
     order by added_at, path limit ${limit}`).rows(db);
}

export interface BrokenLinkOfPage {
  /** Url of the site's page that has the link, without query string. */
  page: string;
  link: string;
  /** The target of your redirect, or the best suggestion; null: there is neither. */
  proposed_target: string | null;
  score: number | null;
  suggested_at: Date | null;
  /** The last crawl was answered so, at this time; null: it did not meet the link. */
  answer: string | null;
  checked_at: Date | null;
  people: number;
  other_visits: number;
  last_seen: Date | null;
}

/** Links of the site to paths without page and rule: those that most people followed, then those of the last crawl. */
export function selectBrokenLinks({ projectId, db }: Tenant, period: Period, limit: number) {
  return query(sql<BrokenLinkOfPage>`
    select page, link, proposed_target, suggested_at, answer, checked_at, last_seen, ${numbers('score', 'people')},
           others::float8 as other_visits
      from analytics.broken_internal_links
     where project_id = ${projectId} and broken
       and (checked_at is not null or (${met(sql`first_seen`, sql`last_seen`, period)}))
     order by people desc, others desc, page, link limit ${limit}`).rows(db);
}

export interface ReferrerRow {
  /** Url without query string; (other): those beyond. */
  referrer: string;
  paths: number;
  example: string | null;
  people: number;
  /** Requests of people in the weeks that have one of the days before. */
  before: number;
  other_visits: number;
  last_seen: Date;
}

/** Rows of referrers in the weeks that have one of the days: of other sites. */
export function selectForeignRows({ projectId }: Tenant, { from, to }: Period): Sql {
  return sql`
    select * from analytics.referrers
     where project_id = ${projectId} and own is not true and week > ${from}::date - 7 and week <= ${to}::date`;
}

/** Pages of other sites that send visitors to missing paths, in the weeks that have one of the days. */
export function selectForeignReferrers(tenant: Tenant, { from, to }: Period, limit: number | null) {
  const isNow = sql`week > ${from}::date - 7`;
  const before = daysBefore({ from, to });
  return sql<ReferrerRow>`
    select referrer, paths, people, other_visits, last_seen, before,
           (select m.path from ${figuresOf(tenant.projectId, sql`s.path_hash`)} as m) as example
      from (select referrer, (count(distinct path_hash) filter (where ${isNow} and path_hash <> ''::bytea))::float8 as paths,
                   min(path_hash) filter (where ${isNow} and path_hash <> ''::bytea) as path_hash,
                   (sum(people) filter (where ${isNow}))::float8 as people,
                   (sum(others) filter (where ${isNow}))::float8 as other_visits, max(last_seen) filter (where ${isNow}) as last_seen,
                   coalesce(sum(people) filter (where week <= ${before.to}::date), 0)::float8 as before
              from (${selectForeignRows(tenant, { from: before.from, to })}) as r
             group by referrer having count(*) filter (where ${isNow}) > 0
             order by 4 desc, 5 desc, referrer limit ${limit}) as s
     order by people desc, other_visits desc, referrer`;
}

export interface ContentGapRow {
  /** The folder that the paths are in; null: they are in none. */
  topic: string | null;
  paths: number;
  people: number;
  not_recovered: number;
  examples: string[];
  /** The first example up to the folder `topic`, with the slash behind it. */
  section: string | null;
  nearest_page: string | null;
  last_seen: Date;
}

/** People looked for this on the days and the site does not have it; counts are of all 404s that are kept. */
export function selectContentGaps({ projectId, db }: Tenant, period: Period, limit: number): Promise<ContentGapRow[]> {
  return query(sql<ContentGapRow>`
    select topic, ${numbers('paths', 'people', 'not_recovered')}, examples[1:3] as examples, nearest_page, last_seen,
           substring(examples[1] from '^(.*?/[^/]*[^0-9/._-]{3}[^/]*/)') as section
      from analytics.content_gaps
     where project_id = ${projectId} and ${met(sql`first_seen`, sql`last_seen`, period)}
     order by content_gaps.not_recovered desc, topic nulls last limit ${limit}`).rows(db);
}

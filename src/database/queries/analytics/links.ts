import { sql } from '#kysely';
import type { Tenant } from '../../session/tenants.js';
import type { Period } from './not-founds.js';

/** Weeks that have one of the days. Each has 5,000 rows of a project at most. */
const during = ({ projectId }: Tenant, { today, days }: Period): ReturnType<typeof sql> =>
  sql`r.project_id = ${projectId} and r.week > ${today}::date - ${days}::int - 7 and r.week <= ${today}::date`;

export interface BrokenLinkRow {
  /** Url of the site's page that has the link, without query string. */
  page: string;
  /** The missing path. */
  link: string;
  /** Where a redirect leads, else the best suggestion; null: none. */
  target: string | null;
  /** Of the suggestion; null: it is a redirect, or there is none. */
  score: number | null;
  people: number;
  others: number;
  last_seen: Date;
}

/** Links of the site to its own missing paths, those that most people followed first. */
export async function selectBrokenLinks(tenant: Tenant, period: Period, limit: number): Promise<BrokenLinkRow[]> {
  const { rows } = await sql<BrokenLinkRow>`
    select r.referrer as page, m.path as link, coalesce(x.path, m.best_url) as target,
           case when x.path is null then m.best_score end as score, r.people, r.others, r.last_seen
      from (select r.path_hash, r.referrer, sum(r.human)::float8 as people, sum(r.others)::float8 as others,
                   max(r.last_seen) as last_seen
              from pathmend.referrer_weeks r
             where ${during(tenant, period)} and r.own and r.path_hash <> ''::bytea and r.referrer <> '(other)'
             group by r.path_hash, r.referrer
             order by sum(r.human) desc, sum(r.others) desc, r.path_hash, r.referrer limit ${limit}) as r
      join pathmend.missing_paths m on m.project_id = ${tenant.projectId} and m.path_hash = r.path_hash
      left join lateral (
        select x.path
          from pathmend.moves v
          join pathmend.indexed_pages x on x.project_id = v.project_id and x.page_id = v.page_id
         where v.project_id = m.project_id and v.old_path_hash = m.plain_hash and v.source = 'redirect' limit 1) as x on true
     order by r.people desc, r.others desc, r.path_hash, r.referrer`.execute(tenant.db);
  return rows;
}

export interface ReferrerRow {
  /** Url without query string; (other): those beyond. */
  referrer: string;
  paths: number;
  /** One of them. */
  example: string | null;
  people: number;
  others: number;
  last_seen: Date;
}

/** Pages of other sites that send visitors to missing paths. */
export async function selectForeignReferrers(tenant: Tenant, period: Period, limit: number): Promise<ReferrerRow[]> {
  const { rows } = await sql<ReferrerRow>`
    select r.referrer, r.paths, m.path as example, r.people, r.others, r.last_seen
      from (select r.referrer, count(distinct r.path_hash)::float8 as paths, sum(r.human)::float8 as people,
                   sum(r.others)::float8 as others, max(r.last_seen) as last_seen, min(r.path_hash) as path_hash
              from pathmend.referrer_weeks r
             where ${during(tenant, period)} and r.own is not true
             group by r.referrer order by sum(r.human) desc, sum(r.others) desc, r.referrer limit ${limit}) as r
      left join pathmend.missing_paths m
        on m.project_id = ${tenant.projectId} and m.path_hash = r.path_hash and m.path_hash <> ''::bytea
     order by r.people desc, r.others desc, r.referrer`.execute(tenant.db);
  return rows;
}

export interface ContentGapRow {
  /** The word of these paths that most people asked for and that no page has; null: they have no such word. */
  topic: string | null;
  paths: number;
  people: number;
  not_recovered: number;
  examples: string[];
  nearest_page: string | null;
  last_seen: Date;
}

/** As analytics.content_gaps: what people look for and the site does not have, of the 2,000 paths with most people. */
export async function selectContentGaps(
  { projectId, db }: Tenant,
  { today, days }: Period,
  limit: number,
): Promise<ContentGapRow[]> {
  const { rows } = await sql<ContentGapRow>`
    with gaps as materialized (
      select m.path, m.people + m.unknown as people, m.suggested + m.nothing as lost, m.last_human, m.best_url, m.best_score
        from (select * from pathmend.missing_paths m
               where m.project_id = ${projectId} and m.people + m.unknown > 0 and m.path_hash <> ''::bytea
               order by m.people + m.unknown desc, m.path_hash limit 2000) as m
       where (m.suggested + m.nothing) > (m.people + m.unknown) * 0.5 and coalesce(m.best_score, 0) < 0.5
         and m.last_human >= (${today}::date - ${days}::int + 1)::timestamp at time zone 'UTC'),
    words as (
      select g.path, w.word, g.lost
        from gaps g
       cross join lateral (select distinct word from regexp_split_to_table(
                     regexp_replace(lower(g.path), '\\.[a-z0-9]{1,5}$', ''), '[^[:alpha:]]+') as word) as w
       where length(w.word) > 3
         and not exists (select from pathmend.vocabulary v where v.project_id = ${projectId} and v.word = w.word)),
    topics as (
      select distinct on (w.path) w.path, w.word
        from words w join (select word, sum(lost) as lost from words group by 1) as t on t.word = w.word
       order by w.path, t.lost desc, w.word)
    select t.word as topic, count(*)::float8 as paths, sum(g.people)::float8 as people, sum(g.lost)::float8 as not_recovered,
           (array_agg(g.path order by g.lost desc, g.path))[1:3] as examples,
           (array_agg(g.best_url order by g.best_score desc nulls last, g.best_url))[1] as nearest_page,
           max(g.last_human) as last_seen
      from gaps g left join topics t on t.path = g.path
     group by t.word order by sum(g.lost) desc, t.word nulls last limit ${limit}`.execute(db);
  return rows;
}

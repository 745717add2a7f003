import { sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { hasRule, mostMissed } from '../../rules/store/path-rules.js';
import { selectTargetOf } from '../../rules/store/rules-of-path.js';
import { readIndexState, type IndexState } from '../../pages/store/page-counts.js';
import { below, during, type Period } from './not-founds.js';

/** Read at most, of those with most people; as analytics.redirects_worth_adding. */
const MAX_PATHS = 5_000;
/** Read at most. */
const MAX_RULES = 20_000;

export interface SuggestedRedirect {
  path: string;
  /** The inbox names the missing path so. */
  hash: string;
  target: string;
  /** Clicks of visitors of the path on the target, of all. */
  clicks: number;
  all_clicks: number;
  score: number;
  /** When it was answered so. */
  answered_at: Date | null;
  people: number;
  not_redirected: number;
  /** People that it would have led to the right page: not_redirected × score. */
  gain: number;
  last_seen: Date;
}

/** Paths that people still meet without being redirected, with the page that they probably mean; most gain first. */
export function selectSuggestedRedirects({ projectId, db }: Tenant, period: Period, limit: number) {
  return sql<SuggestedRedirect>`
    with found as (
    select m.project_id, m.path, m.path_hash, m.plain_hash, m.best_page_id, m.best_url, m.best_score, m.best_at,
           (m.people + m.unknown)::float8 as people, m.not_redirected::float8 as not_redirected,
           (m.not_redirected * m.best_score)::float8 as gain, m.last_human
      from (select m.*, m.suggested + m.nothing + m.clicked + m.unlinked as not_redirected
              from (${mostMissed(projectId, MAX_PATHS)}) as m) as m
     where m.best_url is not null and m.not_redirected > 0 ${below(period, sql`m.path`)}
       and not ${hasRule(projectId)}
     order by gain desc, m.path_hash limit ${limit})
    select m.path, encode(m.path_hash, 'hex') as hash, m.best_url as target, c.clicks, c.all_clicks,
           m.best_score as score, m.best_at as answered_at, m.people, m.not_redirected, m.gain, m.last_human as last_seen
      from found m
     cross join lateral (
       select coalesce(sum(v.clicks) filter (where v.page_id = m.best_page_id), 0)::float8 as clicks,
              coalesce(sum(v.clicks), 0)::float8 as all_clicks
         from pathmend.moves v
        where v.project_id = m.project_id and v.old_path_hash = m.plain_hash and v.source = 'click' offset 0) as c
     order by m.gain desc, m.path_hash`.rows(db);
}

export interface UnusedRule {
  path: string;
  action: string;
  target: string | null;
  added_at: Date;
}

/** Rules that answered nobody, the oldest first, among the 20,000 oldest. */
export function selectUnusedRules({ projectId, db }: Tenant, period: Period, limit: number): Promise<UnusedRule[]> {
  return sql<UnusedRule>`
    with oldest as (
      select r.*
        from (select * from pathmend.rules r
               where r.project_id = ${projectId} and r.action <> 'ignore' order by r.made_at limit ${MAX_RULES}) as r
       where not exists (select from pathmend.rule_hits h where h.project_id = ${projectId} and h.rule_key = r.rule_key)
         ${below(period, sql`r.path`)}
       order by r.made_at, r.path collate "C" limit ${limit})
    select r.path, r.action, coalesce(x.path, r.target) as target, r.made_at as added_at
      from oldest r
      left join lateral (${selectTargetOf(projectId)}) as p on r.prefix is null
      left join lateral (select x.path from pathmend.indexed_pages x
                          where x.project_id = ${projectId} and x.page_id = p.page_id offset 0) as x on true
     order by r.made_at, r.path collate "C"`.rows(db);
}

export interface BrokenRedirect {
  day: string;
  what: string;
  stored: number;
  not_kept: number;
}

/** Days on which more came than HISTORY_MB_PER_DAY keeps. */
export function selectBrokenRedirects(db: Db, projectId: string, period: Period): Promise<BrokenRedirect[]> {
  return sql<BrokenRedirect>`
    select d.day::text as day, d.what, d.stored::float8 as stored, d.not_kept::float8 as not_kept
      from pathmend.history_days d
     where ${during({ projectId }, period)} and d.not_kept > 0
     order by d.day desc, d.what`.rows(db);
}

export interface IndexHealth extends IndexState {
  waiting_since: Date | null;
  last_indexed_at: Date | null;
  words: number | null;
}

/** Selects what analytics.index_health says; undefined for a project without pages. */
export async function selectIndexHealth({ projectId, db }: Tenant): Promise<IndexHealth | undefined> {
  const [state, { rows }] = await Promise.all([
    readIndexState(db, projectId),
    sql<Omit<IndexHealth, keyof IndexState>>`
      select (select min(w.status_at)
                from ((select g.status_at from pathmend.pages g
                        where g.project_id = ${projectId} and g.status = 'PENDING_VECTORIZATION' limit ${MAX_RULES})
                      union all
                      (select g.status_at from pathmend.pages g
                        where g.project_id = ${projectId} and g.status = 'PROCESSING' limit ${MAX_RULES})) as w) as waiting_since,
             (select x.indexed_at from pathmend.indexed_pages x
               where x.project_id = ${projectId} and x.indexed_at is not null
               order by x.arrival desc limit 1) as last_indexed_at,
             (select v.words::float8 from pathmend.index_versions v where v.project_id = ${projectId}) as words
    `.execute(db),
  ]);
  const [row] = rows;
  return row && state.searchable + state.waiting + state.failed > 0 ? { ...state, ...row } : undefined;
}

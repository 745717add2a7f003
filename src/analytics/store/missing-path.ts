import type { RuleAction } from '../../base/glossary.js';
import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { pathKey } from '../../text/paths/plain-path.js';
import { during, numbers, sums, type OutcomeRow, OUTCOMES, type Outcome } from './not-founds.js';
import { isLatestSearch } from './paths-of-page.js';
import type { Days } from '../range.js';

export interface MissingPath extends Record<Outcome, number> {
  /** SHA-256 of the path, in hexadecimal. */
  hash: string;
  people: number;
  /** Assistants, search engines and robots together. */
  robots: number;
  first_seen: Date;
  last_seen: Date;
}

/** Reads a missing path with the sums of its 404s; undefined: no 404s of it are kept. */
export function findMissingPath({ projectId, db }: Tenant, path: string): Promise<MissingPath | undefined> {
  return query(sql<MissingPath>`
    select encode(path_hash, 'hex') as hash, (assistants + search_engines + robots)::float8 as robots, first_seen, last_seen,
           ${numbers('people', ...OUTCOMES)}
      from analytics.missing_paths
     where project_id = ${projectId} and path_hash = sha256(convert_to(${path}, 'UTF8'))`).first(db);
}

/** A statement for the outcomes of people's 404s of a path, by day. */
export function selectOutcomesByDay(tenant: Tenant, path: string, days: Days): Sql<OutcomeRow> {
  return sql<OutcomeRow>`
    select day::text as of, ${sums('hits', ...OUTCOMES)} from analytics.recovery_by_path
     where ${during(tenant, days)} and path_hash = sha256(convert_to(${path}, 'UTF8'))
     group by 1 order by 1`;
}

export interface ShownPage {
  page_id: string;
  url: string;
  /** The number of the project's latest searches that answered with the page; 0: it was only clicked. */
  shown: number;
  /** The best place in these answers, 1 is first, and its score in the latest; null: it was not shown lately. */
  place: number | null;
  score: number | null;
  last_shown: Date | null;
  /** Searches for this path that ended in a click on the page, whenever they were. */
  clicks: number;
}

/** Reads the pages that the latest searches for a path answered with, most often first; then clicked ones. */
export async function selectPagesShown(db: Db, projectId: string, path: string, limit: number): Promise<ShownPage[]> {
  return query(sql<ShownPage>`
    select p.page_id, coalesce(f.url, p.url) as url, coalesce(f.shown, 0)::float8 as shown, f.place::float8 as place, f.score,
           f.last_shown, coalesce(v.clicks, 0)::float8 as clicks
      from (select r.value ->> 'page_id' as page_id, max(r.value ->> 'url') as url, count(*) as shown, min(r.place) as place,
                   (array_agg((r.value ->> 'score')::float8 order by s.at desc, s.search_id))[1] as score,
                   max(s.at) as last_shown
              from analytics.searches s
             cross join lateral jsonb_array_elements(s.results) with ordinality as r (value, place)
             where ${await isLatestSearch(db, projectId)} and s.kind in ('suggest', 'proxy', 'not-found')
               and split_part(s.input, '?', 1) = ${path}
             group by 1) as f
      full join (select v.page_id, v.clicks from pathmend.learned_redirects v
                  where v.project_id = ${projectId} and v.old_path_hash = ${pathKey(path)}) as v
        on v.page_id = f.page_id
      join pathmend.pages p on p.project_id = ${projectId} and p.page_id = coalesce(f.page_id, v.page_id)
     order by f.shown desc nulls last, v.clicks desc nulls last, p.page_id limit ${limit}`).rows(db);
}

export interface DecisionRow {
  changed_at: Date;
  changed_by: string;
  kind: 'change' | 'confirm' | 'undo';
  before: { action: RuleAction; target: string | null } | null;
  after: DecisionRow['before'];
}

/** Only so many of a project's latest changes of rules are searched. */
const MAX_CHANGES = 500;

/** Reads the changes of rules whose path is one of these texts, among the latest of the project; newest first. */
export function selectDecisions({ projectId, db }: Tenant, paths: readonly string[], limit: number) {
  return query(sql<DecisionRow>`
    select c.changed_at, c.changed_by, c.kind, nullif(r -> 'before', 'null') as before, nullif(r -> 'after', 'null') as after
      from (select * from pathmend.rule_changes where project_id = ${projectId}
             order by change_id desc limit ${MAX_CHANGES}) as c
     cross join lateral jsonb_array_elements(c.rules) as r
     where r ->> 'path' = any (${paths}::text[])
     order by c.change_id desc limit ${limit}`).rows(db);
}

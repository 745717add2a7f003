import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import { figuresOf } from './not-founds.js';

/** A missing path that people met, with all of its 404s that are kept. */
export interface MissingPathRow {
  /** SHA-256 of the path, in hexadecimal. */
  hash: string;
  path: string;
  /** Hits by people times doubt: 1 - the score of the best suggestion. */
  priority: number;
  /** Unknown visitors among them: sites that send no user agent have no others. */
  people: number;
  /** Assistants, search engines, robots and scanners. */
  robots: number;
  last_human: Date;
  /** The latest search that was linked to it had this best url; null: none is known. */
  best_url: string | null;
  best_score: number | null;
  /** The latest judgement of the path says that this url is wrong; null: none does. */
  wrong_url: string | null;
  wrong_by: string | null;
  wrong_at: Date | null;
}

/** A page of missing paths ends at this place. */
export type MissingPlace = Pick<MissingPathRow, 'hash' | 'priority'>;

export interface MissingFilter {
  /** Only paths that begin with this text. */
  prefix?: string | undefined;
  /** Only paths that a person met within so many days. */
  days?: number | undefined;
  /** The best known suggestion has at least this score; a path without one has 0. */
  minScore?: number | undefined;
  belowScore?: number | undefined;
  /** Only paths to which a page of the site links, or another site. */
  referrer?: 'own' | 'foreign' | undefined;
}

const PRIORITY = sql`(m.people + m.unknown) * (1 - coalesce(m.best_score, 0))`;
const SCORE = sql`coalesce(m.best_score, 0)`;

/**
 * Selects the paths behind `after` by their `priority`, in the order of the index missing_paths__inbox, or those that
 * somebody judged wrong. The row (other) is left out.
 */
function behind(projectId: string, after: MissingPlace | 'wrong' | undefined): Sql {
  const judged = sql`select j.path_hash from pathmend.judgements j where j.project_id = ${projectId} and not j.is_right`;
  const isMeant =
    after === 'wrong'
      ? sql`and m.path_hash in (${judged})`
      : after && sql`and (${PRIORITY}, m.path_hash) < (${after.priority}::float8, decode(${after.hash}, 'hex'))`;
  return sql`
    from pathmend.missing_paths m
   where m.project_id = ${projectId} and m.people + m.unknown > 0 and m.path_hash <> ''::bytea ${isMeant ?? sql``}
   order by priority desc, m.path_hash desc`;
}

/** Selects missing paths that fit the filter, by priority: among the next `looked` behind `after`, or judged wrong. */
export function selectMissingPaths(
  db: Db,
  projectId: string,
  { prefix, days, minScore, belowScore, referrer }: MissingFilter,
  after: MissingPlace | 'wrong' | undefined,
  { looked, limit }: { looked: number; limit: number },
): Promise<MissingPathRow[]> {
  const and = (value: unknown, condition: Sql): Sql => (value === undefined ? sql`` : sql`and ${condition}`);
  const listed = sql`
    select m.path_hash, m.priority, j.url as wrong_url, j.judged_by as wrong_by, j.judged_at as wrong_at
      from (select *, ${PRIORITY} as priority ${behind(projectId, after)} limit ${looked}) as m
      left join (select distinct on (path_hash) * from pathmend.judgements
                  where project_id = ${projectId} and is_right is not null and path_hash is not null
                  order by path_hash, judged_at desc) as j on j.path_hash = m.path_hash and not j.is_right
     where ${after === 'wrong' ? sql`j.url is not null` : sql`true`}
       ${and(prefix, sql`starts_with(m.path, ${prefix})`)}
       ${and(days, sql`m.last_human >= now() - make_interval(days => ${days}::int)`)}
       ${and(minScore, sql`${SCORE} >= ${minScore}::float8`)} ${and(belowScore, sql`${SCORE} < ${belowScore}::float8`)}
       ${and(
         referrer,
         sql`exists (select from pathmend.referrer_weeks r
                      where r.project_id = ${projectId} and r.path_hash = m.path_hash
                        and r.own is ${referrer === 'own' ? sql`true` : sql`not true`})`,
       )}
     order by m.priority desc, m.path_hash desc limit ${limit}`;
  return query(sql<MissingPathRow>`
    select encode(m.path_hash, 'hex') as hash, f.path, m.priority, f.people::float8,
           (f.assistants + f.search_engines + f.robots)::float8 as robots, f.last_seen_by_people as last_human,
           f.best_suggestion as best_url, f.best_score::float8, m.wrong_url, m.wrong_by, m.wrong_at
      from (${listed}) as m cross join lateral ${figuresOf(projectId, sql`m.path_hash`)} as f
     order by m.priority desc, m.path_hash desc`).rows(db);
}

/** The place `looked` paths behind `after`; undefined where there are fewer. */
export function findMissingPlace(db: Db, projectId: string, after: MissingPlace | undefined, looked: number) {
  return query(sql<MissingPlace>`
    select encode(m.path_hash, 'hex') as hash, ${PRIORITY} as priority
      ${behind(projectId, after)} offset ${looked - 1} limit 1`).first(db);
}

/** The texts of missing paths. */
export async function readMissingPaths(db: Db, projectId: string, hashes: readonly string[]) {
  const { rows } = await sql<{ hash: string; path: string }>`
    select encode(m.path_hash, 'hex') as hash, m.path from pathmend.missing_paths m
     where m.project_id = ${projectId} and m.path_hash = any (${hashes.map((hash) => Buffer.from(hash, 'hex'))}::bytea[])
  `.execute(db);
  return new Map(rows.map(({ hash, path }) => [hash, path]));
}

export interface ReferrerRow {
  hash: string;
  referrer: string;
  /** Whether it is a page of the site; null: not known. */
  is_own: boolean | null;
  hits: number;
}

/** The referrers of missing paths that sent most, `limit` of each. */
export function selectReferrers(db: Db, projectId: string, hashes: readonly string[], limit: number) {
  return query(sql<ReferrerRow>`
    select encode(h.hash, 'hex') as hash, r.referrer, r.is_own, r.hits
      from unnest(${hashes.map((hash) => Buffer.from(hash, 'hex'))}::bytea[]) as h (hash)
     cross join lateral (
       select referrer, bool_or(own) as is_own, sum(people + others)::float8 as hits
         from analytics.referrers
        where project_id = ${projectId} and path_hash = h.hash and referrer <> '(other)'
        group by referrer order by sum(people) desc, sum(others) desc, referrer limit ${limit}) as r`).rows(db);
}

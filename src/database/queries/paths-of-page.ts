import { sql } from '#kysely';
import type { Tenant } from '../session/tenants.js';

export interface PathOfPage {
  path: string;
  /** 404s of people; null: it was not met, or is not among those that are looked at. */
  people: number | null;
  /** Of the latest search for the path; null: it is a redirect. */
  score: number | null;
  last_human: Date | null;
}

/** Read at most, of the missing paths with most people. */
const MAX_READ = 20_000;

/** Dead paths that lead to a page: those whose latest search found it first, by people. */
export async function selectPathsFound(
  { projectId, db }: Tenant,
  pageId: string,
  limit: number,
): Promise<PathOfPage[]> {
  const { rows } = await sql<PathOfPage>`
    select m.path, (m.people + m.unknown)::float8 as people, m.best_score as score, m.last_human
      from (select * from pathmend.missing_paths m
             where m.project_id = ${projectId} and m.people + m.unknown > 0 and m.path_hash <> ''::bytea
             order by m.people + m.unknown desc, m.path_hash limit ${MAX_READ}) as m
     where m.best_page_id = ${pageId}
     order by m.people + m.unknown desc, m.path_hash limit ${limit}`.execute(db);
  return rows;
}

/** Old paths whose redirect leads to a page. */
export async function selectPathsRedirected(
  { projectId, db }: Tenant,
  pageId: string,
  limit: number,
): Promise<PathOfPage[]> {
  const { rows } = await sql<PathOfPage>`
    select v.old_path as path, (m.people + m.unknown)::float8 as people, null::float8 as score, m.last_human
      from (select * from pathmend.moves v
             where v.project_id = ${projectId} and v.page_id = ${pageId} and v.source = 'redirect'
             order by v.old_path_hash limit ${limit}) as v
      left join lateral (select * from pathmend.missing_paths m
                          where m.project_id = ${projectId} and m.plain_hash = v.old_path_hash
                          order by m.path_hash limit 1) as m on true
     order by m.people + m.unknown desc nulls last, v.old_path_hash`.execute(db);
  return rows;
}

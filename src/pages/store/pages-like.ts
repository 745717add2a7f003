import { sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';

/** Read at most, of a project's pages: a tenth of a second. */
const MAX_READ = 50_000;

/** Indexed pages that have a text in their path or title, the shortest paths first. */
export async function selectPagesLike(
  db: Db,
  projectId: string,
  text: string,
  limit: number,
): Promise<{ url: string; path: string; title: string | null }[]> {
  const { rows } = await sql<{ url: string; path: string; title: string | null }>`
    select p.url, p.path, p.title
      from (select p.url, p.title, x.path
              from pathmend.indexed_pages x
              join pathmend.pages p on p.project_id = x.project_id and p.page_id = x.page_id
             where x.project_id = ${projectId} limit ${MAX_READ}) as p
     where position(lower(${text}::text) in lower(p.path || ' ' || coalesce(p.title, ''))) > 0
     order by length(p.path), p.path limit ${limit}`.execute(db);
  return rows;
}

import { sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';

export interface DemoState {
  model_id: number | null;
  created_at: Date;
  /** Whether it holds a page of another site. */
  has_other_pages: boolean;
  /** The greatest id of a search in the range. */
  latest_search: string | null;
}

/** @param ids the first and the last id of generated searches */
export async function readDemoState(
  db: Db,
  projectId: string,
  baseUrl: string,
  ids: readonly [string, string],
): Promise<DemoState | undefined> {
  const { rows } = await sql<DemoState>`
    select p.model_id, p.created_at,
           exists (select from pathmend.pages g
                    where g.project_id = p.project_id and not starts_with(g.url, ${`${baseUrl}/`})
                      and g.url <> ${baseUrl}) as has_other_pages,
           (select s.search_id from pathmend.searches s
             where s.project_id = p.project_id and s.search_id between ${ids[0]}::uuid and ${ids[1]}::uuid
             order by s.search_id desc limit 1) as latest_search
      from pathmend.projects p
     where p.project_id = ${projectId}`.execute(db);
  return rows[0];
}

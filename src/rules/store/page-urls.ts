import type { Db } from '../../platform/database/db.js';
import { sql } from '../../platform/database/sql.js';

const BATCH_ROWS = 5_000;

/** Urls of some pages that can be found. */
export async function samplePageUrls(db: Db, projectId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ url: string }>`
    select p.url from pathmend.pages p
     where p.project_id = ${projectId} and p.status = 'INDEXED' order by p.page_id limit ${limit}`.execute(db);
  return rows.map(({ url }) => url);
}

/** Urls of all pages of a project, in the order of their ids. */
export async function* listPageUrls(db: Db, projectId: string): AsyncGenerator<string> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const { rows } = await sql<{ page_id: string; url: string }>`
      select page_id, url from pathmend.pages
       where project_id = ${projectId} and page_id > ${after} order by page_id limit ${BATCH_ROWS}`.execute(db);
    for (const { url } of rows) yield url;
    after = rows.length < BATCH_ROWS ? undefined : rows.at(-1)?.page_id;
  }
}

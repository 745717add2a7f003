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

/** Of so many pages: a host that only later ones have is taken for another site's. */
const SAMPLED_FOR_HOSTS = 1_000;

/**
 * The hosts of a project's pages, and of those that were deleted. A rule to another one leads away from the site; a
 * rule to one of these waits until its page is there.
 */
export async function readHosts(db: Db, projectId: string): Promise<Set<string>> {
  const { rows } = await sql<{ host: string }>`
    select distinct split_part(u.url, '/', 3) as host
      from ((select p.url from pathmend.pages p where p.project_id = ${projectId}
              order by p.page_id limit ${SAMPLED_FOR_HOSTS})
            union all
            (select t.url from pathmend.tombstones t where t.project_id = ${projectId}
              limit ${SAMPLED_FOR_HOSTS})) as u`.execute(db);
  return new Set(rows.map(({ host }) => host));
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

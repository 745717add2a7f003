import { sha256, sql } from '../../platform/database/sql.js';
import type { Db, Row, Trx } from '../../platform/database/db.js';
import type { PathSpellings } from '../../platform/database/path-spellings.js';
import type { BrokenLink } from '../../sources/web/link-log.js';

const COLUMNS = ['place', 'url', 'path', 'status', 'answer', 'pages', 'page_count', 'checked_at'] as const;

/** db/migrations/0010_sync.sql explains the columns. */
export type BrokenLinkRow = Pick<Row<'broken_links'>, (typeof COLUMNS)[number]>;

/** The max rows per statement. */
const BATCH = 250;

export interface NewBrokenLink extends BrokenLink {
  path: string;
  /** The key of the path (`pathKey`), like the column missing_paths.plain_hash. */
  plainHash: Buffer;
}

/** Replaces the links of the previous crawl. `links` are in the order of their places. */
export async function replaceBrokenLinks(trx: Trx, projectId: string, links: readonly NewBrokenLink[], at: Date) {
  await trx.deleteFrom('pathmend.broken_links').where('project_id', '=', projectId).execute();
  for (let first = 0; first < links.length; first += BATCH) {
    const rows = links.slice(first, first + BATCH).map(({ plainHash, ...link }, n) => {
      return { ...link, plain_hash: plainHash.toString('hex'), place: first + n + 1 };
    });
    await sql`
      insert into pathmend.broken_links
             (project_id, place, url, path, path_hash, plain_hash, status, answer, pages, page_count, checked_at)
      select ${projectId}, i.place, i.url, i.path, sha256(convert_to(i.path, 'UTF8')), decode(i.plain_hash, 'hex'), i.status,
             i.answer, i.pages, i."pageCount", ${at}
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
             as i (place int, url text, path text, plain_hash text, status int, answer text, pages text[], "pageCount" int)
    `.execute(trx);
  }
}

/** Lists links in the order of their places, after `after`. `path`: only links to this path, with any query string. */
export function listBrokenLinks(
  db: Db,
  projectId: string,
  { after = 0, path }: { after?: number; path?: string },
  limit: number,
): Promise<BrokenLinkRow[]> {
  const links = db
    .selectFrom('pathmend.broken_links')
    .select(COLUMNS)
    .where('project_id', '=', projectId)
    .where('place', '>', after)
    .orderBy('place')
    .limit(limit);
  return (path === undefined ? links : links.where('path_hash', '=', sha256(path))).execute();
}

export async function listBrokenUrls(db: Db, projectId: string): Promise<string[]> {
  const links = db.selectFrom('pathmend.broken_links').select('url').where('project_id', '=', projectId);
  return (await links.orderBy('place').execute()).map(({ url }) => url);
}

/** Erases a path from links and from the pages that have them. */
export async function erasePathOfLinks(trx: Trx, projectId: string, path: PathSpellings): Promise<void> {
  const texts = await path.among(
    trx,
    sql`select t.text from pathmend.broken_links, unnest(pages || array[url, path]) as t (text)
         where project_id = ${projectId}`,
  );
  const erased = sql`${texts}::text[]`;
  await sql`
    delete from pathmend.broken_links
     where project_id = ${projectId} and (url = any (${erased}) or path = any (${erased}))`.execute(trx);
  await sql`
    update pathmend.broken_links
       set pages = array(select p.url from unnest(pages) with ordinality as p (url, n) where p.url <> all (${erased}) order by n)
     where project_id = ${projectId} and pages && ${erased}`.execute(trx);
}

import { columnOf, rowsOf, sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { PathSpellings } from '../../platform/database/path-spellings.js';
import type { BrokenLink } from '../../sources/web/link-log.js';

export interface BrokenLinkRow {
  /** Rank by number of linking pages, from 1. */
  place: number;
  url: string;
  /** Without query string. */
  path: string;
  status: number | null;
  answer: string;
  /** The first linking pages; page_count counts all. */
  pages: string[];
  page_count: number;
  checked_at: Date;
}

/** Rows per statement. */
const BATCH = 250;

export interface NewBrokenLink extends BrokenLink {
  path: string;
  /** As missing_paths.plain_hash. */
  plainHash: Buffer;
}

/** Replaces the links of the previous crawl. `links` are in the order of their places. */
export async function replaceBrokenLinks(trx: Trx, projectId: string, links: readonly NewBrokenLink[], at: Date) {
  await sql`delete from pathmend.broken_links where project_id = ${projectId}`.execute(trx);
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
export async function listBrokenLinks(
  db: Db,
  projectId: string,
  { after = 0, path }: { after?: number; path?: string },
  limit: number,
): Promise<BrokenLinkRow[]> {
  return rowsOf(
    db,
    sql<BrokenLinkRow>`
    select place, url, path, status, answer, pages, page_count, checked_at from pathmend.broken_links
     where project_id = ${projectId} and place > ${after}
       ${path === undefined ? sql`` : sql`and path_hash = sha256(convert_to(${path}, 'UTF8'))`}
     order by place limit ${limit}`,
  );
}

export function listBrokenUrls(db: Db, projectId: string): Promise<string[]> {
  return columnOf(
    db,
    sql<{ url: string }>`
    select url from pathmend.broken_links where project_id = ${projectId} order by place`,
    'url',
  );
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

import { query, sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import { pageRow, type PushedPage } from '../../pages/check-page.js';
import { haveSameFields, PUSHED_TYPES, pushedColumns } from '../../pages/page-fields.js';
import type { Validators } from '../../sources/source.js';

export type Difference = 'created' | 'updated_content' | 'updated_metadata' | 'unchanged';

/**
 * Determines what an upsert of these pages would do, in their order, without locks and without sending the contents. A
 * page in ERROR counts as changed, because an upsert queues it again.
 */
export async function comparePages(db: Db, projectId: string, pages: readonly PushedPage[]): Promise<Difference[]> {
  const input = pages.map((page, place) => ({ ...pageRow(page), content: undefined, place }));
  // `offset 0`: see page-rows.ts.
  const { rows } = await sql<{ place: number; difference: Difference }>`
    select i.place,
           case when p.content_hash <> i.content_hash then 'updated_content'
                when not (${haveSameFields}) or p.status = 'ERROR' then 'updated_metadata'
                else 'unchanged' end as difference
      from (select r.place, ${pushedColumns('r')},
                   decode(r.url_hash, 'hex') as url_hash, decode(r.content_hash, 'hex') as content_hash
              from jsonb_to_recordset(${JSON.stringify(input)}::jsonb)
                   as r (place int, url_hash text, content_hash text, ${PUSHED_TYPES})
            offset 0) as i
      join pathmend.pages p on p.project_id = ${projectId} and p.url_hash = i.url_hash`.execute(db);
  const differences = pages.map((): Difference => 'created');
  for (const { place, difference } of rows) differences[place] = difference;
  return differences;
}

export interface StoredUrl {
  page_id: string;
  url: string;
  url_hash: Buffer;
  /** Whether an earlier sync did not delete the page, because the gone pages were too many. */
  held: boolean;
}

/** Lists the pages last pushed before `until`, by url hash, after `after`. */
export async function listUrlHashes(
  db: Db,
  projectId: string,
  { until, after, limit }: { until: Date; after: Buffer; limit: number },
): Promise<StoredUrl[]> {
  return query(sql<StoredUrl>`
    select p.page_id, p.url, p.url_hash, h.page_id is not null as held
      from pathmend.pages p
      left join pathmend.held_pages h on h.project_id = p.project_id and h.page_id = p.page_id
     where p.project_id = ${projectId} and p.url_hash > ${after}::bytea and p.updated_at < ${until}
     order by p.url_hash limit ${limit}`).rows(db);
}

/** Reads the database's time and the project's number of pages. */
export async function countStoredPages(db: Db, projectId: string): Promise<{ at: Date; pages: number }> {
  const row = await query(sql<{ at: Date; pages: number }>`
    select now() as at, count(*)::int as pages from pathmend.pages where project_id = ${projectId}`).first(db);
  return row ?? { at: new Date(0), pages: 0 };
}

/** Lists held pages by identifier, after `after`. */
export async function listHeldPages(db: Db, projectId: string, after: string, limit: number) {
  return query(sql<{ page_id: string; url_hash: Buffer }>`
    select h.page_id, p.url_hash
      from pathmend.held_pages h
      join pathmend.pages p on p.project_id = h.project_id and p.page_id = h.page_id
     where h.project_id = ${projectId} and h.page_id > ${after}
     order by h.page_id limit ${limit}`).rows(db);
}

/** Marks the pages that still exist as held. */
export async function holdPages(db: Db, projectId: string, pageIds: readonly string[]): Promise<void> {
  await sql`
    insert into pathmend.held_pages (project_id, page_id)
    select project_id, page_id from pathmend.pages
     where project_id = ${projectId} and page_id = any(${pageIds}::text[])
     order by page_id
       for key share
    on conflict do nothing`.execute(db);
}

export async function releasePages(db: Db, projectId: string, pageIds: readonly string[]): Promise<void> {
  await sql`
    delete from pathmend.held_pages
     where project_id = ${projectId} and page_id = any(${pageIds}::text[])`.execute(db);
}

/** Reads the validators of a page, with its textKey; undefined if it has none, or has changed since. */
export async function readValidators(db: Db, projectId: string, urlHash: Buffer): Promise<Validators | undefined> {
  return query(sql<Validators>`
    select v.etag, v.last_modified as "lastModified", v.lastmod, v.links, v.stored_at as "readAt",
           concat(encode(p.content_hash, 'hex'), ' ', p.metadata ->> 'language', ' ', p.title) as text
      from pathmend.pages p
      join pathmend.page_validators v on v.project_id = p.project_id and v.page_id = p.page_id
     where p.project_id = ${projectId} and p.url_hash = ${urlHash} and p.updated_at <= v.stored_at`).first(db);
}

/** Replaces the validators of pages, which must be stored already. */
export async function storeValidators(db: Db, projectId: string, pages: readonly (Validators & { urlHash: Buffer })[]) {
  const input = pages.map(({ urlHash, links, ...rest }) => {
    return { ...rest, url_hash: urlHash.toString('hex'), links: links && Buffer.from(links).toString('hex') };
  });
  // `offset 0`: see page-rows.ts.
  await sql`
    insert into pathmend.page_validators (project_id, page_id, etag, last_modified, lastmod, links)
    select p.project_id, p.page_id, i.etag, i."lastModified", i.lastmod, i.links
      from (select r.etag, r."lastModified", r.lastmod, decode(r.url_hash, 'hex') as url_hash, decode(r.links, 'hex') as links
              from jsonb_to_recordset(${JSON.stringify(input)}::jsonb)
                   as r (url_hash text, etag text, "lastModified" text, lastmod text, links text)
            offset 0) as i
      join pathmend.pages p on p.project_id = ${projectId} and p.url_hash = i.url_hash
     order by p.page_id
       for key share of p
    on conflict (project_id, page_id) do update set
      etag = excluded.etag, last_modified = excluded.last_modified, lastmod = excluded.lastmod, links = excluded.links,
      stored_at = excluded.stored_at`.execute(db);
}

/** Lists the urls of pages with validators, by page identifier, after `after`. */
export async function listValidatedUrls(db: Db, projectId: string, after: string, limit: number) {
  return query(sql<{ page_id: string; url: string }>`
    select v.page_id, p.url
      from pathmend.page_validators v
      join pathmend.pages p on p.project_id = v.project_id and p.page_id = v.page_id
     where v.project_id = ${projectId} and v.page_id > ${after}
     order by v.page_id limit ${limit}`).rows(db);
}

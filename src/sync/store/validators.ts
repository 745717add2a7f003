import { query, sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import type { Validators } from '../../sources/source.js';

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

import { sql, type Sql } from '../../platform/database/sql.js';
import type { PageUrl } from '../../text/page-url.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { ProjectRange } from '../../platform/database/project-range.js';

/** The target of a redirect, as SQL columns or values. */
interface Target {
  key: Sql;
  path: Sql;
  host: Sql;
  hash: Sql;
}

/** A query of a redirect's target page. Among pages with its path key, an equal url or path takes precedence. */
export function selectTarget(projectId: Sql, { key, path, host, hash }: Target): Sql {
  return sql`
    select p.page_id from pathmend.pages p
     where p.project_id = ${projectId} and p.path_key = ${key}
       and (${host} is null or split_part(p.url, '/', 3) = ${host})
     order by coalesce(p.url_hash = ${hash}, false) desc,
              (substr(p.url, length(split_part(p.url, '/', 1)) + length(split_part(p.url, '/', 3)) + 3) = ${path}) desc,
              p.page_id
     limit 1`;
}

/** Before a page is deleted: its redirects wait until a page with its url is pushed. */
export async function deactivateRedirects(
  trx: Trx,
  projectId: string,
  pageId: string,
  url: PageUrl & { pathKey: Buffer },
): Promise<void> {
  await sql`
    with aside as (
      delete from pathmend.moves where project_id = ${projectId} and page_id = ${pageId} and source = 'redirect'
      returning old_path_hash, old_path, spellings, last_seen_at, made_at, origin, made_by
    )
    insert into pathmend.waiting_redirects
      (project_id, old_path_hash, old_path, target, target_key, target_path, target_host, target_hash, imported_at,
       made_at, origin, made_by, spellings)
    select ${projectId}::uuid, a.old_path_hash, a.old_path, ${url.href}, ${url.pathKey}::bytea, ${url.path},
           ${url.host}, ${url.hash}::bytea, a.last_seen_at, a.made_at, a.origin, a.made_by, a.spellings
      from aside a
    on conflict (project_id, old_path_hash) do nothing`.execute(trx);
}

/** Turns the redirects that wait for pages with these path keys into moves; returns how many. */
export async function activateRedirects(trx: Trx, projectId: string, pathKeys: readonly Buffer[]): Promise<number> {
  const { rows } = await sql`
    with due as materialized (
      select w.old_path_hash, w.old_path, w.spellings, w.imported_at, w.made_at, w.origin, w.made_by, t.page_id
        from (select * from pathmend.waiting_redirects
               where project_id = ${projectId} and target_key = any (${pathKeys}::bytea[])
               order by old_path_hash for update) as w
       cross join lateral (${selectTarget(sql`${projectId}::uuid`, {
         key: sql`w.target_key`,
         path: sql`w.target_path`,
         host: sql`w.target_host`,
         hash: sql`w.target_hash`,
       })}) as t
    ),
    woken as (
      delete from pathmend.waiting_redirects w using due d
       where w.project_id = ${projectId} and w.old_path_hash = d.old_path_hash
      returning d.*
    )
    insert into pathmend.moves (project_id, old_path_hash, source, page_id, old_path, spellings, last_seen_at, made_at,
                                origin, made_by)
    select ${projectId}::uuid, old_path_hash, 'redirect', page_id, old_path, spellings, imported_at, made_at, origin, made_by from woken
    on conflict do nothing
    returning page_id`.execute(trx);
  return rows.length;
}

/** Redirects that wait although their page exists: it was pushed at the moment when they were stored. */
export async function findOverdueRedirects(
  db: Db,
  { from, to }: ProjectRange,
): Promise<{ project_id: string; path_keys: Buffer[] }[]> {
  const { rows } = await sql<{ project_id: string; path_keys: Buffer[] }>`
    select w.project_id, array_agg(distinct w.target_key) as path_keys
      from pathmend.waiting_redirects w
      join pathmend.pages p on p.project_id = w.project_id and p.path_key = w.target_key
                           and (w.target_host is null or split_part(p.url, '/', 3) = w.target_host)
     where w.project_id between ${from} and ${to}
     group by w.project_id order by w.project_id`.execute(db);
  return rows;
}

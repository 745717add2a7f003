import { sql } from 'kysely';
import type { Db, Trx } from '../db.js';

/** A redirect as the customer gives it. */
export interface RedirectInput {
  oldPath: string;
  /** Key of the old path. */
  oldKey: Buffer;
  /** Where to: the key of the path, and of a full URL its host and the hash of its normalized form. */
  targetKey: Buffer;
  targetPath: string;
  targetHost: string | null;
  targetHash: Buffer | null;
}

export interface StoredRedirect {
  /** Place of the redirect in the input. */
  place: number;
  /** Null when the project has no such page: then nothing was stored. */
  page_id: string | null;
  /** The page that this old path was redirected to before; null for none. */
  before: string | null;
}

/**
 * Stores redirects whose target is a page of the project, each in the place of an earlier one of its old path, whose
 * keys must differ. Of several pages with the target's key the one with the very url or path is taken.
 */
export async function storeRedirects(trx: Trx, projectId: string, redirects: readonly RedirectInput[], at: Date): Promise<StoredRedirect[]> {
  const input = redirects.map((one, place) => ({
    place,
    old_path: one.oldPath,
    old_key: one.oldKey.toString('hex'),
    target_key: one.targetKey.toString('hex'),
    target_path: one.targetPath,
    target_host: one.targetHost,
    target_hash: one.targetHash?.toString('hex') ?? null,
  }));
  const { rows: found } = await sql<StoredRedirect & { old_path: string; old_key: string }>`
    select i.place, i.old_path, i.old_key, t.page_id, m.page_id as before
      from jsonb_to_recordset(${JSON.stringify(input)}::jsonb) as i
           (place int, old_path text, old_key text, target_key text, target_path text, target_host text, target_hash text)
      left join lateral (
        select p.page_id from pathmend.pages p
         where p.project_id = ${projectId} and p.path_key = decode(i.target_key, 'hex')
           and (i.target_host is null or split_part(p.url, '/', 3) = i.target_host)
         order by coalesce(p.url_hash = decode(i.target_hash, 'hex'), false) desc,
                  (substr(p.url, length(split_part(p.url, '/', 1)) + length(split_part(p.url, '/', 3)) + 3) = i.target_path) desc,
                  p.page_id
         limit 1) t on true
      left join pathmend.moves m
        on m.project_id = ${projectId} and m.old_path_hash = decode(i.old_key, 'hex') and m.source = 'redirect'
     order by i.place`.execute(trx);
  const stored = found.filter((row) => row.page_id !== null);
  await sql`
    delete from pathmend.moves m
     using jsonb_to_recordset(${JSON.stringify(stored)}::jsonb) as i (old_key text, page_id text)
     where m.project_id = ${projectId} and m.source = 'redirect' and m.old_path_hash = decode(i.old_key, 'hex')
       and m.page_id <> i.page_id`.execute(trx);
  await sql`
    insert into pathmend.moves (project_id, old_path_hash, source, page_id, old_path, last_seen_at)
    select ${projectId}::uuid, decode(i.old_key, 'hex'), 'redirect', p.page_id, i.old_path, ${at}
      from jsonb_to_recordset(${JSON.stringify(stored)}::jsonb) as i (old_key text, page_id text, old_path text)
      join pathmend.pages p on p.project_id = ${projectId} and p.page_id = i.page_id
     order by p.page_id
       for key share of p
    on conflict (project_id, old_path_hash, source, page_id) do update set
      old_path = excluded.old_path, last_seen_at = excluded.last_seen_at`.execute(trx);
  return found;
}

export interface ListedRedirect {
  path: string;
  url: string;
  imported_at: Date;
}

export async function listRedirects(db: Db, projectId: string, limit: number): Promise<ListedRedirect[]> {
  const { rows } = await sql<ListedRedirect>`
    select m.old_path as path, p.url, m.last_seen_at as imported_at
      from pathmend.moves m
      join pathmend.pages p on p.project_id = m.project_id and p.page_id = m.page_id
     where m.project_id = ${projectId} and m.source = 'redirect'
     order by m.old_path collate "C" limit ${limit}`.execute(db);
  return rows;
}

/** False when there was none. */
export async function deleteRedirect(trx: Trx, projectId: string, oldKey: Buffer): Promise<boolean> {
  const { rows } = await sql`
    delete from pathmend.moves where project_id = ${projectId} and old_path_hash = ${oldKey} and source = 'redirect'
    returning page_id`.execute(trx);
  return rows.length > 0;
}

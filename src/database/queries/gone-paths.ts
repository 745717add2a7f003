import { sql, type RawBuilder } from 'kysely';
import type { Trx } from '../db.js';

export interface GonePath {
  path: string;
  /** The path's key. */
  key: Buffer;
  /** The key of its folder; null at the root of the site. */
  folder: Buffer | null;
}

/** What is known to be gone: this path itself, and how many paths of its folder, {@link MANY_GONE} at most. */
export interface KnownGone {
  path: boolean;
  in_folder: number;
}

/** So many dead ends make a folder one in which no guess is trusted. */
export const MANY_GONE = 4;

/** Stores paths as gone, in place of the redirects that they had; their keys must differ. Returns how many are new. */
export async function storeGonePaths(
  trx: Trx,
  projectId: string,
  paths: readonly GonePath[],
  at: Date,
): Promise<number> {
  const keys = paths.map(({ key }) => key);
  await sql`
    with waiting as (
      delete from pathmend.waiting_redirects where project_id = ${projectId} and old_path_hash = any (${keys}::bytea[])
    )
    delete from pathmend.moves
     where project_id = ${projectId} and source = 'redirect' and old_path_hash = any (${keys}::bytea[])`.execute(trx);
  const { rows } = await sql<{ is_new: boolean }>`
    insert into pathmend.gone_paths (project_id, path_hash, folder_hash, path, imported_at)
    select ${projectId}::uuid, i.key, i.folder, i.path, ${at}
      from unnest(${keys}::bytea[], ${paths.map(({ folder }) => folder)}::bytea[],
                  ${paths.map(({ path }) => path)}::text[]) as i (key, folder, path)
     order by i.key
    on conflict (project_id, path_hash) do update set path = excluded.path, imported_at = excluded.imported_at
    returning xmax = 0 as is_new`.execute(trx);
  return rows.filter((row) => row.is_new).length;
}

/** Removes what was stored as gone; returns how many of these paths were. */
export async function removeGonePaths(trx: Trx, projectId: string, keys: readonly Buffer[]): Promise<number> {
  const { rows } = await sql`
    delete from pathmend.gone_paths
     where project_id = ${projectId} and path_hash = any (${keys}::bytea[]) returning path_hash`.execute(trx);
  return rows.length;
}

/** A query of the {@link KnownGone} of a path, as one JSON object. */
export function selectKnownGone(
  projectId: string,
  keys: readonly Buffer[],
  folder: Buffer | null,
): RawBuilder<{ gone: KnownGone }> {
  return sql`
    select json_build_object(
      'path', exists (select from pathmend.gone_paths g
                       where g.project_id = ${projectId} and g.path_hash = any (${keys}::bytea[])),
      'in_folder', (select count(*) from (select from pathmend.gone_paths g
                                           where g.project_id = ${projectId} and g.folder_hash = ${folder}::bytea
                                           limit ${MANY_GONE}::int) as f)) as gone`;
}

import { sql, type Sql } from '../../platform/database/sql.js';
import type { Made } from '../../base/glossary.js';
import type { Trx } from '../../platform/database/db.js';
import type { MoveKeys } from '../../text/paths/move-keys.js';
import { addSpellings } from '../spellings.js';
import { holdsFor } from './wildcard-redirects.js';

export interface GonePath {
  path: string;
  /** In what other ways it was listed. */
  spellings: readonly string[];
  /** The path's key. */
  key: Buffer;
  /** The key of its folder; null at the root of the site. */
  folder: Buffer | null;
}

/** What rules say of a path beside the pages that they lead to. */
export interface KnownGone {
  /** Of its keys, those of gone paths; in hexadecimal. */
  keys: string[];
  /** Of its prefixes, those below which all is gone. None if a redirect of the path itself waits for its page. */
  prefixes: string[];
  /** Redirects of its keys that wait for their page, or lead to another host. */
  waiting: { key: string; target: string }[];
  /** The wildcards of its prefixes that redirect, whether there is a page or not. */
  wildcards: { prefix: string; target: string }[];
  /** How many paths of its folder, {@link MANY_GONE} at most. */
  in_folder: number;
}

/** So many dead ends make a folder one in which no guess is trusted. */
export const MANY_GONE = 4;

/**
 * Stores paths as gone, in place of the redirects that they had; their keys must differ. Those that are gone already
 * keep their spelling. Returns how many are new.
 */
export async function storeGonePaths(
  trx: Trx,
  projectId: string,
  paths: readonly GonePath[],
  { origin, by, at }: Made,
): Promise<number> {
  const keys = paths.map(({ key }) => key);
  await sql`
    with waiting as (
      delete from pathmend.waiting_redirects where project_id = ${projectId} and old_path_hash = any (${keys}::bytea[])
    )
    delete from pathmend.moves
     where project_id = ${projectId} and source = 'redirect' and old_path_hash = any (${keys}::bytea[])`.execute(trx);
  const { rows: known } = await sql<{ key: string; path: string; spellings: string[] }>`
    select encode(path_hash, 'hex') as key, path, spellings from pathmend.gone_paths
     where project_id = ${projectId} and path_hash = any (${keys}::bytea[])`.execute(trx);
  const before = new Map(known.map((one) => [one.key, one]));
  const input = paths.map(({ path, spellings, key, folder }) => {
    const known = before.get(key.toString('hex'));
    return {
      path,
      key: key.toString('hex'),
      folder: folder?.toString('hex') ?? null,
      spellings: addSpellings(known?.path ?? path, known?.spellings ?? [], [path, ...spellings]),
    };
  });
  const { rows } = await sql<{ is_new: boolean }>`
    insert into pathmend.gone_paths as g (project_id, path_hash, folder_hash, path, spellings, imported_at, made_at, origin, made_by)
    select ${projectId}::uuid, decode(i.key, 'hex'), decode(i.folder, 'hex'), i.path, i.spellings, ${at}, ${at}, ${origin},
           ${by}
      from jsonb_to_recordset(${JSON.stringify(input)}::jsonb)
           as i (key text, folder text, path text, spellings text[])
     order by i.key
    on conflict (project_id, path_hash) do update set
      imported_at = excluded.imported_at, spellings = excluded.spellings, made_at = coalesce(g.made_at, g.imported_at)
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
export function selectKnownGone(projectId: string, of: MoveKeys, folder: Buffer | null): Sql<{ gone: KnownGone }> {
  const { keys, prefixes } = of;
  const holds = holdsFor(projectId, of);
  const redirected = (table: string, source: Sql): Sql => sql`
    exists (select from ${sql.table(`pathmend.${table}`)} r
             where r.project_id = ${projectId} and r.old_path_hash = any (${keys}::bytea[]) ${source})`;
  return sql`
    select json_build_object(
      'keys', (select coalesce(json_agg(encode(g.path_hash, 'hex')), '[]') from pathmend.gone_paths g
                where g.project_id = ${projectId} and g.path_hash = any (${keys}::bytea[])),
      'prefixes', (select coalesce(json_agg(w.old_prefix), '[]') from pathmend.wildcard_redirects w
                    where w.project_id = ${projectId} and w.old_prefix = any (${prefixes}::text[]) and w.action = 'gone' and ${holds}
                      and not ${redirected('waiting_redirects', sql``)}
                      and not ${redirected('moves', sql`and r.source = 'redirect'`)}),
      'waiting', (select coalesce(json_agg(json_build_object('key', encode(r.old_path_hash, 'hex'), 'target', r.target)), '[]')
                    from pathmend.waiting_redirects r
                   where r.project_id = ${projectId} and r.old_path_hash = any (${keys}::bytea[])),
      'wildcards', (select coalesce(json_agg(json_build_object('prefix', w.old_prefix, 'target', w.target)), '[]')
                      from pathmend.wildcard_redirects w
                     where w.project_id = ${projectId} and w.old_prefix = any (${prefixes}::text[]) and w.action = 'redirect'
                       and ${holds}),
      'in_folder', (select count(*) from (select from pathmend.gone_paths g
                                           where g.project_id = ${projectId} and g.folder_hash = ${folder}::bytea
                                           limit ${MANY_GONE}::int) as f)) as gone`;
}

import { sql, type Sql } from '../../platform/database/sql.js';
import type { Made, RuleAction } from '../../base/glossary.js';
import type { Trx } from '../../platform/database/db.js';
import { addSpellings } from '../spellings.js';
import type { MoveKeys } from '../../text/paths/move-keys.js';
import { joinLookup, joinPageRows } from '../../platform/database/lateral-joins.js';

export interface WildcardInput {
  /** Plain; `#` stands for any number. */
  oldPrefix: string;
  action: RuleAction;
  /** As the customer wrote it, with a slash at its end. */
  oldPath: string;
  /** In what other ways it was listed. */
  spellings: readonly string[];
  /** Null if they are not redirected. */
  target: string | null;
  targetHost: string | null;
  /** Plain; null if all lead to one page. */
  newPrefix: string | null;
  targetKey: Buffer | null;
}

/** Max wildcards of a project. A site has dozens. */
export const MAX_WILDCARDS = 1_000;

/**
 * Stores a wildcard in place of the one with its old prefix.
 * @returns `full`: not stored, the project has {@link MAX_WILDCARDS}
 */
export async function storeWildcard(
  trx: Trx,
  projectId: string,
  one: WildcardInput,
  { origin, by, at, confidence = null }: Made,
): Promise<'created' | 'updated' | 'unchanged' | 'full'> {
  const { rows } = await sql<{ isSame: boolean; old_path: string; spellings: string[] }>`
    select action = ${one.action} and new_prefix is not distinct from ${one.newPrefix} and target_key is not distinct from ${one.targetKey}
           and coalesce(target_host = ${one.targetHost}, true) as "isSame", old_path, spellings
      from pathmend.wildcard_redirects
     where project_id = ${projectId} and old_prefix = ${one.oldPrefix}`.execute(trx);
  const [before] = rows;
  if (before?.isSame) {
    const spellings = addSpellings(before.old_path, before.spellings, [one.oldPath, ...one.spellings]);
    await sql`
      update pathmend.wildcard_redirects set spellings = ${spellings}
       where project_id = ${projectId} and old_prefix = ${one.oldPrefix}`.execute(trx);
    return 'unchanged';
  }
  if (!before) {
    const { rows: counted } = await sql<{ isFull: boolean }>`
      select count(*) >= ${MAX_WILDCARDS} as "isFull" from pathmend.wildcard_redirects
       where project_id = ${projectId}`.execute(trx);
    if (counted[0]?.isFull) return 'full';
  }
  await sql`
    insert into pathmend.wildcard_redirects
      (project_id, old_prefix, action, old_path, target, target_host, new_prefix, target_key, imported_at, origin,
       made_by, confidence, spellings)
    values (${projectId}, ${one.oldPrefix}, ${one.action}, ${one.oldPath}, ${one.target}, ${one.targetHost},
            ${one.newPrefix}, ${one.targetKey}, ${at}, ${origin}, ${by}, ${confidence},
            ${addSpellings(one.oldPath, [], one.spellings)})
    on conflict (project_id, old_prefix) do update set
      action = excluded.action, origin = excluded.origin, made_by = excluded.made_by, old_path = excluded.old_path,
      target = excluded.target, target_host = excluded.target_host, new_prefix = excluded.new_prefix, target_key = excluded.target_key, imported_at = excluded.imported_at,
      confidence = excluded.confidence, spellings = excluded.spellings`.execute(trx);
  return before ? 'updated' : 'created';
}

/**
 * Whether a wildcard `w` holds for a path: for its folder itself only where that is no page. Another spelling of a page
 * leads to the page, not to where all below it went.
 */
export function holdsFor(projectId: string, { keys, whole }: Pick<MoveKeys, 'keys' | 'whole'>): Sql {
  return sql`
    (w.old_prefix <> all (${whole}::text[]) or not exists (
      select from pathmend.pages f join pathmend.indexed_pages x on x.project_id = f.project_id and x.page_id = f.page_id
       where f.project_id = ${projectId} and f.path_key = ${keys.at(-1)}::bytea))`;
}

/** A query of the indexed pages that wildcards of these prefixes lead to, as {@link KnownMove}s. */
export function selectWildcards(projectId: string, of: MoveKeys): Sql {
  const isTarget = sql`r.project_id = ${projectId} and r.path_key = s.key
                       and (s.target_host is null or split_part(r.url, '/', 3) = s.target_host)`;
  return sql`
    select x.page_id, 'wildcard', s.old_prefix, 0, null::jsonb
      from unnest(${of.prefixes}::text[], ${of.tails}::text[]) as i (prefix, tail)
     cross join lateral (
       select w.old_prefix, w.target_host,
              coalesce(w.target_key, sha256(convert_to(w.new_prefix || i.tail, 'UTF8'))) as key
         from pathmend.wildcard_redirects w
        where w.project_id = ${projectId} and w.old_prefix = i.prefix and ${holdsFor(projectId, of)} offset 0) as s
      ${joinLookup('pages', 'p', ['page_id'], isTarget, sql`limit 1`)}
      ${joinPageRows('indexed_pages', 'x', ['page_id'], projectId, 'p.page_id')}`;
}

/** A query of the beginnings of a path by which its wildcards are found, with and without its numbers. */
export const wildcardPrefixesOf = (path: Sql): Sql => sql`
  select k.prefix
    from (select string_to_array(ltrim(lower(${path}), '/'), '/') as parts) as s
   cross join lateral generate_series(1, least(cardinality(s.parts), 20)) as n
   cross join lateral (select '/' || array_to_string(s.parts[:n], '/') as prefix) as b
   cross join lateral (values (b.prefix), (regexp_replace(b.prefix, '/\\d+(?=/|$)', '/#', 'g'))) as k (prefix)`;

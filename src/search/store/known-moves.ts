import { sql, type Sql } from '../../platform/database/sql.js';
import type { KnownMove } from '../../rules/learned/known-move.js';
import type { MoveKeys } from '../../text/paths/move-keys.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { joinLookup, joinPageRows } from '../../platform/database/lateral-joins.js';
import { selectRemembered, type SearchedProject } from './remembered-pages.js';
import { selectKnownGone, type KnownGone } from '../../rules/store/gone-paths.js';
import { selectWildcards } from '../../rules/store/wildcard-redirects.js';

/**
 * A query of a dead path's {@link KnownMove}s: the moves of its keys, with at most 100 clicked pages per path, and the
 * indexed pages that wildcards and section moves of its prefixes lead to, at most 20 with one path (on other hosts, in
 * other spellings).
 */
export function selectKnownMoves(project: SearchedProject, of: MoveKeys): Sql<KnownMove> {
  const { projectId } = project;
  const { keys, prefixes, tails } = of;
  const ofKey = sql`r.project_id = ${projectId} and r.old_path_hash = k.key and r.source = s.source`;
  return sql<KnownMove>`
    select m.page_id, m.source as kind, encode(m.old_path_hash, 'hex') as key, coalesce(m.clicks, 0)::float8 as clicks,
           null::jsonb as section
      from unnest(${keys}::bytea[]) as k (key) cross join unnest(array['redirect', 'click']) as s (source)
      ${joinLookup('moves', 'm', ['page_id', 'source', 'old_path_hash', 'clicks'], ofKey, sql`limit 100`)}
      ${joinPageRows('indexed_pages', 'x', ['page_id'], projectId, 'm.page_id')}
    union all
    ${selectRemembered(project, keys)}
    union all
    ${selectWildcards(projectId, of)}
    union all
    select x.page_id, 'section', '', 0,
           jsonb_build_object('oldPrefix', s.old_prefix, 'newPrefix', s.new_prefix, 'confidence', s.confidence,
                              'byClicks', s.source = 'click', 'whole', s.whole, 'path', s.new_prefix || s.tail)
      from unnest(${prefixes}::text[], ${tails}::text[]) as i (prefix, tail)
     -- \`offset 0\` computes the key before the comparison: under row level security no index would be used for a
     -- condition with a function that is not leakproof.
     cross join lateral (
       select s.old_prefix, s.new_prefix, s.confidence, s.source, i.tail,
              sum(s.confidence) over (partition by s.source) as whole,
              sha256(convert_to(s.new_prefix || i.tail, 'UTF8')) as key
         from pathmend.section_moves s where s.project_id = ${projectId} and s.old_prefix = i.prefix
          and i.tail <> '' offset 0) as s
      ${joinLookup('pages', 'p', ['page_id'], sql`r.project_id = ${projectId} and r.path_key = s.key`, sql`limit 20`)}
      ${joinPageRows('indexed_pages', 'x', ['page_id'], projectId, 'p.page_id')}`;
}

export async function findKnownMoves(
  of: Tenant & SearchedProject,
  keys: MoveKeys,
): Promise<{ moves: KnownMove[]; gone: KnownGone }> {
  const { rows } = await sql<{ moves: KnownMove[]; gone: KnownGone }>`
    select (select coalesce(json_agg(m), '[]') from (${selectKnownMoves(of, keys)}) as m) as moves,
           (${selectKnownGone(of.projectId, keys, null)})`.execute(of.db);
  return rows[0] as { moves: KnownMove[]; gone: KnownGone };
}

/** A redirect of the customer, with the path of its page as in its url, and the indexed words of that path. */
export interface NearRedirect {
  page_id: string;
  old_path: string;
  path: string;
  path_words: string;
  slug_words: string;
}

/** Before the dead path in order, and after it. docs/decisions/0042 has what else was tried. */
const PER_SIDE = 16;

/**
 * A query of the redirects whose old paths stand next to a dead path in order. They share more of its beginning than
 * any others do: they are those of its section, if it has any.
 */
export function selectNearRedirects(projectId: string, path: string): Sql<NearRedirect> {
  const own = sql`left(lower(${path}::text), 200) collate "C"`;
  const redirects = sql`select r.page_id, r.old_path from pathmend.moves r
                         where r.project_id = ${projectId} and r.source = 'redirect'`;
  return sql<NearRedirect>`
    select n.page_id, n.old_path, x.path, x.path_words, x.slug_words
      from ((${redirects} and r.old_path_order >= ${own} order by r.old_path_order limit ${PER_SIDE})
            union all
            (${redirects} and r.old_path_order < ${own} order by r.old_path_order desc limit ${PER_SIDE})) as n
      ${joinPageRows('indexed_pages', 'x', ['path', 'path_words', 'slug_words'], projectId, 'n.page_id')}`;
}

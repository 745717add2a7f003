import { sql, type Sql } from '../../platform/database/sql.js';
import { joinPageRows } from '../../platform/database/lateral-joins.js';

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

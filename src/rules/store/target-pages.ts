import { sql, type Sql } from '../../platform/database/sql.js';
import type { Trx } from '../../platform/database/db.js';

/**
 * A query of the page that a rule `r` leads to, as `page_id` and `url`. Of pages with its path key, one with an equal
 * url or path comes first.
 * @param key where it is not that of the rule
 */
export function selectTargetOf(projectId: string, key = sql`r.target_key`): Sql {
  return sql`
    select p.page_id, p.url from pathmend.pages p
     where p.project_id = ${projectId} and p.path_key = ${key}
       and (r.target_host is null or split_part(p.url, '/', 3) = r.target_host)
     order by coalesce(p.url_hash = r.target_hash, false) desc,
              (substr(p.url, length(split_part(p.url, '/', 1)) + length(split_part(p.url, '/', 3)) + 3) = r.target_path) desc nulls last,
              p.page_id
     limit 1`;
}

/** Whether a page shows where old paths went: a redirect leads to it, or visitors clicked it. */
export async function hasMoves(
  trx: Trx,
  projectId: string,
  { page_id: pageId, path_key: pathKey }: { page_id: string; path_key: Buffer },
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from pathmend.moves
                    where project_id = ${projectId} and page_id = ${pageId} and source = 'click')
        or exists (select from pathmend.rules
                    where project_id = ${projectId} and target_key = ${pathKey}) as found`.execute(trx);
  return rows[0]?.found ?? false;
}

import { sql, type RawBuilder } from 'kysely';
import { arrivedAfter } from '../own-indexes.js';
import { allowed, planFor, type SearchSpace } from './space.js';

/**
 * The scans that evidence is read with, as text of common table expressions. Each reads all allowed pages of the
 * project: one project's size is no other's business, and filters are exact. Where the project has indexes of its own,
 * each reads the pages of `reached`, which these found, and all that arrived after them.
 */

/** Rows of a table that are within reach: all of the project, or those of `reached` and the latest arrivals. */
function within(
  space: SearchSpace,
  table: string,
  columns: readonly string[],
  and: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const from = sql.table(`pathmend.${table}`);
  const select = sql.join(columns.map((column) => sql.ref(`r.${column}`)));
  // Planned for all projects, a scan is expected to find an average one, and beside a million passages a small site
  // paid for memory that was made ready for a third of them. With a place that the planner cannot know it expects a
  // few.
  const all = planFor(space) === 'generic' ? sql`and ${arrivedAfter(sql`-1`)}` : sql``;
  const covered = space.indexSegments?.at(-1)?.covered;
  if (covered === undefined)
    return sql`select ${select} from ${from} r
                where r.project_id = ${space.projectId} ${all} ${and} ${allowed(space, 'r')}`;
  // An array, not a join: an index finds many keys in one go, and the planner expects few of them, whatever it expects
  // of the project.
  return sql`select ${select} from ${from} r
                where r.project_id = ${space.projectId} and r.page_id = any (array(select page_id from reached))
                  and r.arrival <= ${covered}::bigint ${and} ${allowed(space, 'r')}
               union all
               select ${select} from ${from} r
                where r.project_id = ${space.projectId} and ${arrivedAfter(sql`${covered}`)}
                ${and} ${allowed(space, 'r')}`;
}

/**
 * `dense`: of every page the cosines of its best passage and of its beginning. `<#>` is the negative inner product,
 * which is the cosine of unit vectors.
 */
export function denseScan(space: SearchSpace, vector: Buffer): RawBuilder<unknown> {
  return sql`dense as materialized (
      select page_id, max(cosine) filter (where ordinal >= 0) as cosine, max(cosine) filter (where ordinal < 0) as beginning
        from (
          select page_id, ordinal, -(embedding <#> ${vector}::halfvec) as cosine
            from (${within(space, 'passages', ['page_id', 'ordinal', 'embedding'], sql`and r.model_id = ${space.modelId}`)}) as rows_within
          -- Keeps the planner from grouping the vectors themselves: without statistics it sorted 18,500 of them by page,
          -- 10 MB on disk, where the cosines sort in 1.5 MB of memory.
          offset 0
        ) as compared
       group by page_id
    )`;
}

/** `wording`: how much of each question's terms every page covers, under the question's name. */
export function lexicalScan(space: SearchSpace, questions: Readonly<Record<string, string>>): RawBuilder<unknown> {
  const names = Object.keys(questions);
  const products = Object.entries(questions).map(
    ([name, terms]) => sql`-(terms <#> ${terms}::sparsevec) as ${sql.ref(name)}`,
  );
  // The terms of a long page come in several rows. As above, what is grouped must not be the terms themselves.
  return sql`wording as materialized (
      select page_id, ${sql.join(names.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`))}
        from (
          select page_id, ${sql.join(products)}
            from (${within(space, 'page_terms', ['page_id', 'terms'], sql``)}) as rows_within
          offset 0
        ) as compared
       group by page_id
    )`;
}

/** `paths`: how like every page's path and slug are to those with these signatures, 0 to 1. */
export function pathScan(space: SearchSpace, signatures: Record<'path' | 'slug', string>): RawBuilder<unknown> {
  const likeness = (column: string, signature: string): RawBuilder<unknown> =>
    sql`coalesce(1 - (${sql.ref(column)} <%> ${signature}::bit(512)), 0)`;
  return sql`paths as materialized (
      select page_id, ${likeness('path_trigrams', signatures.path)} as path_likeness, ${likeness('slug_trigrams', signatures.slug)} as slug_likeness
        from (${within(space, 'indexed_pages', ['page_id', 'path_trigrams', 'slug_trigrams'], sql``)}) as rows_within
    )`;
}

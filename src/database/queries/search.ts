import { toSql } from 'pgvector';
import { sql, type RawBuilder } from 'kysely';
import type { Filters } from '../../glossary.js';
import type { TermWeights } from '../../search/words/terms.js';
import type { Db } from '../connect.js';
import { toSparse } from './page-terms.js';

/** Which pages a search may answer with. */
export interface Scope {
  projectId: string;
  modelId: number;
  filters: Filters;
  excludedUrls: readonly string[];
  excludedPaths: readonly string[];
}

export interface ContentCandidate {
  page_id: string;
  /** Cosine of the page's best passage, -1 to 1; null for a page without passages. */
  cosine: number | null;
  /** The same of its beginning. */
  beginning: number | null;
  /** The share of the searched terms' weight that the page's content covers, 0 to 1. */
  lexical: number;
}

export interface PathCandidate extends ContentCandidate {
  /** Url path with query string. */
  path: string;
  path_words: string;
  slug_words: string;
  /** As `lexical`, of the slug's terms alone. */
  slug_lexical: number;
}

/**
 * The pages of a scope, as a condition on a row that has project_id and page_id. A filter matches a metadata field
 * that equals its scalar, types included, or that is an array containing it: both are containment, so one GIN index
 * could serve them. Keys and values are parameters.
 */
function allowed(scope: Scope, alias: string): RawBuilder<unknown> {
  const row = sql.raw(alias);
  const conditions: RawBuilder<unknown>[] = [];
  for (const [key, value] of Object.entries(scope.filters)) {
    const equal = JSON.stringify(Object.fromEntries([[key, value]]));
    const contained = JSON.stringify(Object.fromEntries([[key, [value]]]));
    conditions.push(sql`(p.metadata @> ${equal}::jsonb or p.metadata @> ${contained}::jsonb)`);
  }
  if (scope.excludedUrls.length > 0) conditions.push(sql`p.url <> all (${scope.excludedUrls}::text[])`);
  const excludedPaths =
    scope.excludedPaths.length > 0
      ? sql`and not exists (select from pathmend.indexed_pages e where e.project_id = ${row}.project_id
              and e.page_id = ${row}.page_id and e.path = any (${scope.excludedPaths}::text[]))`
      : sql``;
  if (conditions.length === 0) return excludedPaths;
  return sql`and exists (select from pathmend.pages p where p.project_id = ${row}.project_id
                     and p.page_id = ${row}.page_id and ${sql.join(conditions, sql` and `)}) ${excludedPaths}`;
}

/**
 * Best pages by content: a full scan of the project's passages under its model, so that filters are exact and one
 * project's size is no other's business. `<#>` is the negative inner product, which is the cosine of unit vectors.
 */
function contentScan(scope: Scope, vector: Float32Array): RawBuilder<unknown> {
  return sql`
    select page_id, max(cosine) filter (where ordinal >= 0) as cosine, max(cosine) filter (where ordinal < 0) as beginning
      from (
        select v.page_id, v.ordinal, -(v.embedding <#> ${toSql([...vector]) as string}::halfvec) as cosine
          from pathmend.passages v
         where v.project_id = ${scope.projectId} and v.model_id = ${scope.modelId} ${allowed(scope, 'v')}
        -- Keeps the planner from grouping the vectors themselves: without statistics it sorted 18,500 of them by page,
        -- 10 MB on disk, where the cosines sort in 1.5 MB of memory.
        offset 0
      ) as compared
     group by page_id`;
}

/** How much of each question's terms every page of a scope covers: a full scan, as exact as that of the vectors. */
function lexicalScan(scope: Scope, questions: Readonly<Record<string, TermWeights>>): RawBuilder<unknown> {
  const products = Object.entries(questions).map(
    ([name, terms]) => sql`-sum(t.terms <#> ${toSparse(terms)}::sparsevec) as ${sql.ref(name)}`,
  );
  return sql`
    select t.page_id, ${sql.join(products)}
      from pathmend.page_terms t
     where t.project_id = ${scope.projectId} ${allowed(scope, 't')}
     group by t.page_id`;
}

/** The best pages by cosine and the best by their words, each with its evidence of both kinds. */
export async function findByContent(
  db: Db,
  scope: Scope,
  vector: Float32Array,
  terms: TermWeights,
  limit: number,
): Promise<ContentCandidate[]> {
  const { rows } = await sql<ContentCandidate>`
    with dense as materialized (${contentScan(scope, vector)}),
    words as materialized (${lexicalScan(scope, { lexical: terms })}),
    chosen as (
      (select page_id from dense order by cosine desc nulls last, page_id limit ${limit})
      union
      (select page_id from words where lexical > 0 order by lexical desc, page_id limit ${limit})
    )
    select c.page_id, d.cosine, d.beginning, coalesce(w.lexical, 0) as lexical
      from chosen c
      left join dense d on d.page_id = c.page_id
      left join words w on w.page_id = c.page_id`.execute(db);
  return rows;
}

/** Number of pages that can be found. */
export async function countIndexedPages(db: Db, projectId: string): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select count(*)::int as pages from pathmend.indexed_pages where project_id = ${projectId}`.execute(db);
  return rows[0]?.pages ?? 0;
}

/**
 * Candidates of a dead path: the best pages by content (cosine, its words, its slug's words), and the best by trigram
 * similarity of their path's words and of their slug's words, and the pages that it is known to have moved to, each
 * with its evidence of all kinds.
 */
export async function findByPathAndContent(
  db: Db,
  scope: Scope,
  vector: Float32Array,
  path: { words: string; slug: string; terms: TermWeights; slugTerms: TermWeights; moved: readonly string[] },
  limit: number,
): Promise<PathCandidate[]> {
  const { rows } = await sql<PathCandidate>`
    with content as materialized (${contentScan(scope, vector)}),
    words as materialized (${lexicalScan(scope, { lexical: path.terms, slug_lexical: path.slugTerms })}),
    paths as materialized (
      select x.page_id, similarity(x.path_words, ${path.words}) as whole, similarity(x.slug_words, ${path.slug}) as slug
        from pathmend.indexed_pages x
       where x.project_id = ${scope.projectId} ${allowed(scope, 'x')}
    ),
    chosen as materialized (
      (select page_id from content order by cosine desc nulls last, page_id limit ${limit})
      union
      (select page_id from words where lexical > 0 order by lexical desc, page_id limit ${limit})
      union
      (select page_id from words where slug_lexical > 0 order by slug_lexical desc, page_id limit ${limit})
      union
      (select page_id from paths order by whole desc, page_id limit ${limit})
      union
      (select page_id from paths order by slug desc, whole desc, page_id limit ${limit})
      union
      (select page_id from paths where page_id = any (${path.moved}::text[]))
    )
    select x.page_id, x.path, x.path_words, x.slug_words, c.cosine, c.beginning,
           coalesce(w.lexical, 0) as lexical, coalesce(w.slug_lexical, 0) as slug_lexical
      from chosen
      join pathmend.indexed_pages x on x.project_id = ${scope.projectId} and x.page_id = chosen.page_id
      left join content c on c.page_id = chosen.page_id
      left join words w on w.page_id = chosen.page_id`.execute(db);
  return rows;
}

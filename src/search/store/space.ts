import { sql, type Sql, joinLookup, joinPageRows } from '../../platform/database/sql.js';
import type { ContentEvidence } from '../ranking/scores/calibration.js';
import type { Filters } from '../../base/glossary.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { arrivedAfter, pagesInReach } from '../../pages/store/segments.js';
import { isEmbedded } from '../../platform/database/session/driver.js';
import type { SmallMetadata } from '../../pages/store/page-listing.js';

/** The fields of a candidate that its answer needs. */
export interface FoundPage extends SmallMetadata {
  page_id: string;
  url: string;
  /** Url path with query string. */
  path: string;
  title: string | null;
  /** Whether the page waits for its vectors: no guess redirects to it. */
  is_waiting: boolean;
  /** Whether the page is left out of the answer. */
  is_excluded: boolean;
}

/** The pages that a search may answer with, and how they are found. */
export interface SearchSpace extends Tenant {
  modelId: number;
  /** The answer is from this version of the index or a later one. */
  indexVersion: number;
  filters: Filters;
  /** Hashes of full urls. */
  excludedUrls: readonly Buffer[];
  /** Paths with query string, and their path keys. */
  excludedPaths: { paths: readonly string[]; keys: readonly Buffer[] };
  /** The place in the order of arrival up to which the project's own indexes reach; undefined: it has none. */
  covered?: string | undefined;
}

/** The values of a search space that its statements need, see {@link compileOnce}. */
export interface SpaceValues extends Pick<
  SearchSpace,
  'projectId' | 'modelId' | 'covered' | 'excludedUrls' | 'excludedPaths'
> {
  /** For each filter the metadata that match it, as JSON: its name with the scalar, and with an array of that. */
  equal: readonly string[];
  contained: readonly string[];
  isEmbedded: boolean;
}

export function valuesOf(space: SearchSpace): SpaceValues {
  const { db, projectId, modelId, covered, excludedUrls, excludedPaths } = space;
  const wanted = Object.entries(space.filters);
  const equal = wanted.map(([key, value]) => JSON.stringify(Object.fromEntries([[key, value]])));
  const contained = wanted.map(([key, value]) => JSON.stringify(Object.fromEntries([[key, [value]]])));
  return { projectId, modelId, covered, excludedUrls, excludedPaths, equal, contained, isEmbedded: isEmbedded(db) };
}

/** The usual cosine of a question with the page that answers it, used if no vectors give it. */
export const USUAL_COSINE = 0.4;

/** Computes what a page without vectors has instead of cosines, in the sum that chooses candidates. */
export function withoutVectors(weights: Omit<ContentEvidence, 'lexical'>): number {
  return USUAL_COSINE * (weights.dense + weights.beginning + weights.denseTitle + weights.denseMax);
}

/** This part of a search space leaves out no page. */
export const ALL_PAGES = { filters: {}, excludedUrls: [], excludedPaths: { paths: [], keys: [] } } as const;

export function isFiltered({ filters }: { filters: Filters }): boolean {
  return Object.keys(filters).length > 0;
}

/** Without filters all projects share a plan (decision 0020). With them the best depends on how many match. */
export function planFor(space: SearchSpace): 'generic' | undefined {
  return isFiltered(space) ? undefined : 'generic';
}

/**
 * `matching`: the pages whose metadata match all filters. A field equals the scalar, of the same type, or is an array
 * that contains it: one GIN index supports both (db/functions/matching_pages.sql).
 */
function matchingPages({ projectId, equal, contained }: SpaceValues): Sql {
  if (equal.length === 0) return sql``;
  return sql`matching as materialized (
      select page_id from pathmend.matching_pages(${projectId}::uuid, ${equal}::jsonb[], ${contained}::jsonb[])
    ),`;
}

/** `excluded`: the pages of excluded urls and paths, 20,000 at most by key: a path may be on many hosts. */
function excludedPages({ projectId, excludedUrls, excludedPaths }: SpaceValues): Sql {
  const byUrl = sql`select e.page_id from unnest(${excludedUrls}::bytea[]) as u (hash)
        ${joinLookup('pages', 'e', ['page_id'], sql`r.project_id = ${projectId} and r.url_hash = u.hash`)}`;
  const samePathKey = sql`r.project_id = ${projectId} and r.path_key = k.key`;
  const byPath = sql`select e.page_id
        from (select e.page_id from unnest(${excludedPaths.keys}::bytea[]) as k (key)
                ${joinLookup('pages', 'e', ['page_id'], samePathKey, sql`limit 20000`)}
               limit 20000) as e
        ${joinPageRows('indexed_pages', 'i', ['path'], projectId, 'e.page_id')}
       where i.path = any (${excludedPaths.paths}::text[])`;
  const excluded = [...(excludedUrls.length > 0 ? [byUrl] : []), ...(excludedPaths.paths.length > 0 ? [byPath] : [])];
  if (excluded.length === 0) return sql``;
  return sql`excluded as materialized (${sql.join(excluded, sql` union all `)}),`;
}

/** The common table expressions that {@link allowed} needs, each with a trailing comma. */
export function spacePages(space: SpaceValues): Sql {
  return sql`${matchingPages(space)} ${excludedPages(space)}`;
}

/** A condition on rows with a page_id: the page matches the filters. Needs {@link spacePages}. */
export function allowed({ equal }: SpaceValues, alias: string): Sql {
  const pageId = sql.ref(`${alias}.page_id`);
  return equal.length > 0 ? sql`and ${pageId} in (select page_id from matching)` : sql``;
}

/**
 * Tells whether a page is left out of the answer; undefined if no page is. Such pages are compared with the others all
 * the same and keep their share of the certainty: to leave a page out is no reason to believe in the page after it.
 * Needs {@link spacePages}. Not an array: each page would be compared with every element.
 */
export function isExcluded({ excludedUrls, excludedPaths }: SpaceValues, pageId: Sql): Sql | undefined {
  const none = excludedUrls.length === 0 && excludedPaths.paths.length === 0;
  return none ? undefined : sql`${pageId} in (select page_id from excluded)`;
}

/** So many pages, the best of those that are left out, keep their share. */
export const MAX_EXCLUDED = 100;

/**
 * The scans that read evidence, as common table expressions. Each reads all allowed pages of the project, so that its
 * time does not depend on other projects and filters are exact. With own indexes it reads only the pages of `reached`
 * and the unindexed tail.
 */

/** Selects the rows that a scan reads: all of the project, or those of `reached` and the unindexed tail. */
function selectRows(space: SpaceValues, table: string, columns: readonly string[], and: Sql): Sql {
  const from = sql.table(`pathmend.${table}`);
  const select = sql.join(columns.map((column) => sql.ref(`r.${column}`)));
  // A generic plan expects a project of average size: next to a million chunks, a small site's scan allocated memory
  // for a third of them. With an unknown place the planner expects few rows.
  const all = space.equal.length > 0 ? sql`` : sql`and ${arrivedAfter(sql`-1`)}`;
  const { covered } = space;
  if (covered === undefined)
    return sql`select ${select} from ${from} r
                where r.project_id = ${space.projectId} ${all} ${and} ${allowed(space, 'r')}`;
  // An array, not a join: one index scan finds all keys, and the planner expects few of them for every project.
  return sql`select ${select} from ${from} r
                where r.project_id = ${space.projectId} and r.page_id = any (array(select page_id from reached))
                  and r.arrival <= ${covered}::bigint ${and} ${allowed(space, 'r')}
               union all
               select ${select} from ${from} r
                where r.project_id = ${space.projectId} and ${arrivedAfter(sql`${covered}`)}
                ${and} ${allowed(space, 'r')}`;
}

/** The cosine of the column `embedding` with a vector: of unit vectors the inner product, which `<#>` negates. */
export function cosineWith({ isEmbedded }: SpaceValues, vector: Buffer): Sql {
  // WebAssembly has no instruction for half precision: there numbers are converted once, and the question's only once
  // in all (docs/evidence/decisions/0003-scan-up-to-20000-passages.md).
  return isEmbedded
    ? sql`-(embedding::vector <#> (select ${vector}::halfvec::vector))`
    : sql`-(embedding <#> ${vector}::halfvec)`;
}

/** `dense`: the cosines of every page's best chunk, its beginning, its title and the last segment of its path. */
export function denseScan(space: SpaceValues, vector: Buffer): Sql {
  const ofModel = sql`and r.model_id = ${space.modelId}`;
  const rows = selectRows(space, 'chunks', ['page_id', 'ordinal', 'embedding'], ofModel);
  return sql`dense as (
      select page_id, max(cosine) filter (where ordinal >= 0) as cosine,
             max(cosine) filter (where ordinal = -1) as beginning,
             max(cosine) filter (where ordinal = -2) as title_cosine,
             max(cosine) filter (where ordinal = -3) as slug_cosine
        from (
          select page_id, ordinal, ${cosineWith(space, vector)} as cosine
            from (${rows}) as rows_within
          -- Keeps the planner from sorting the vectors: without statistics it sorted 18,500 by page, 10 MB on disk. The
          -- cosines need 1.5 MB of memory.
          offset 0
        ) as compared
       group by page_id
    )`;
}

/** `dense` has no row for a vector that is similar to nothing, and no vectors are read. */
export const NO_COSINES = sql`dense as (select null as page_id, 0 as cosine, 0 as beginning, 0 as title_cosine where false)`;

/** `wording`: every page's coverage of each question's terms, in a column with the question's name. */
export function lexicalScan(space: SpaceValues, questions: Readonly<Record<string, string>>): Sql {
  const names = Object.keys(questions);
  const products = Object.entries(questions).map(
    ([name, terms]) => sql`-(terms <#> ${terms}::sparsevec) as ${sql.ref(name)}`,
  );
  // The terms of a long page are in several rows. `offset 0` as in denseScan.
  return sql`wording as (
      select page_id, ${sql.join(names.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`))}
        from (
          select page_id, ${sql.join(products)}
            from (${selectRows(space, 'page_terms', ['page_id', 'terms'], sql``)}) as rows_within
          offset 0
        ) as compared
       group by page_id
    )`;
}

/** `paths`: how like every page's path and slug are to the signatures, 0 to 1; `has_version`: to a pattern. */
export function pathScan(space: SpaceValues, signatures: Record<'path' | 'slug', string>, patterns: readonly string[]) {
  const likeness = (column: string, signature: string): Sql =>
    sql`coalesce(1 - (${sql.ref(column)} <%> ${signature}::bit(512)), 0)`;
  // Urls are long: they are only read for the few dead paths with a version.
  const columns = ['page_id', 'path_trigrams', 'slug_trigrams', ...(patterns.length > 0 ? ['path'] : [])];
  const rows = selectRows(space, 'indexed_pages', columns, sql``);
  const hasVersion = patterns.length > 0 ? sql`, path like any(${patterns}::text[]) as has_version` : sql``;
  return sql`paths as (
      select page_id, ${likeness('path_trigrams', signatures.path)} as path_likeness,
             ${likeness('slug_trigrams', signatures.slug)} as slug_likeness
             ${hasVersion}
        from (${rows}) as rows_within
    )`;
}

/** `reached`: {@link pagesInReach}, and the pages of `also`. Empty for a project without own indexes. */
export function reachedPages(
  { projectId, modelId, covered }: SpaceValues,
  { vector, ...query }: { vector: Buffer } & Omit<Parameters<typeof pagesInReach>[1], 'vector'>,
  also = sql``,
): Sql {
  if (covered === undefined) return sql``;
  return sql`reached as materialized (
      select distinct page_id from ${pagesInReach({ projectId, modelId, covered }, { ...query, vector: sql`${vector}` })} ${also}
    ),`;
}

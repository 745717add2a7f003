import { sql, type Sql } from '../../platform/database/sql.js';
import type { Filters } from '../../base/glossary.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { joinLookup, joinPageRows } from '../../platform/database/lateral-joins.js';
import type { IndexSegment } from '../../pages/store/segments.js';

/** The pages that a search may answer with, and how they are found. */
export interface SearchSpace extends Tenant {
  modelId: number;
  /** The answer is from this version or a later one. */
  indexVersion: number;
  filters: Filters;
  /** Hashes of full urls. */
  excludedUrls: readonly Buffer[];
  /** Paths with query string, and their path keys. */
  excludedPaths: { paths: readonly string[]; keys: readonly Buffer[] };
  /** At least one; undefined for a project without own indexes. */
  indexSegments?: readonly IndexSegment[] | undefined;
}

export function isFiltered({ filters }: { filters: Filters }): boolean {
  return Object.keys(filters).length > 0;
}

/**
 * Searches without filters share one plan for all projects (docs/decisions/0020-generic-plans.md). With filters the
 * best plan depends on how many pages match.
 */
export function planFor(space: SearchSpace): 'generic' | undefined {
  return isFiltered(space) ? undefined : 'generic';
}

/**
 * The common table expression `matching`: the pages whose metadata match all filters. Empty without filters. A filter
 * matches a field that equals its scalar, with the same type, or an array that contains it. Both are containment, which
 * one GIN index supports (db/functions/matching_pages.sql). Keys and values are parameters.
 */
function matchingPages({ projectId, filters }: SearchSpace): Sql {
  const wanted = Object.entries(filters);
  if (wanted.length === 0) return sql``;
  const equal = wanted.map(([key, value]) => JSON.stringify(Object.fromEntries([[key, value]])));
  const contained = wanted.map(([key, value]) => JSON.stringify(Object.fromEntries([[key, [value]]])));
  return sql`matching as materialized (
      select page_id from pathmend.matching_pages(${projectId}::uuid, ${equal}::jsonb[], ${contained}::jsonb[])
    ),`;
}

/**
 * The common table expression `excluded`: the pages of excluded urls, and those of excluded paths, found by path key.
 * At most 20,000 pages are read by key, because a path may exist on many hosts.
 */
function excludedPages({ projectId, excludedUrls, excludedPaths }: SearchSpace): Sql {
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
export function spacePages(space: SearchSpace): Sql {
  return sql`${matchingPages(space)} ${excludedPages(space)}`;
}

/** A condition on rows with a page_id: the page matches the filters. Needs {@link spacePages}. */
export function allowed(space: SearchSpace, alias: string): Sql {
  const pageId = sql.ref(`${alias}.page_id`);
  return isFiltered(space) ? sql`and ${pageId} in (select page_id from matching)` : sql``;
}

/**
 * Whether a page is left out of the answer; undefined if none is. Such pages are compared with the others all the same
 * and keep their share of the certainty: what was asked for is no reason to believe in the page after it. Needs
 * {@link spacePages}. Not an array: each page would be compared with every element.
 */
export function isExcluded({ excludedUrls, excludedPaths }: SearchSpace, pageId: Sql): Sql | undefined {
  const none = excludedUrls.length === 0 && excludedPaths.paths.length === 0;
  return none ? undefined : sql`${pageId} in (select page_id from excluded)`;
}

/** As many pages as this, the best of those that are left out, keep their share. */
export const MAX_EXCLUDED = 100;

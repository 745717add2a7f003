import { sql, type RawBuilder } from 'kysely';
import type { Filters } from '../../../glossary.js';
import type { Tenant } from '../../session/tenants.js';
import { joinLookup, joinPageRows } from '../lateral-joins.js';
import type { Segment } from '../own-indexes.js';

/** Which pages a search may answer with, and how they are reached. */
export interface SearchSpace extends Tenant {
  modelId: number;
  /** The version of the index that the answer is at least as new as. */
  indexVersion: number;
  filters: Filters;
  /** Hashes of full urls. */
  excludedUrls: readonly Buffer[];
  /** Paths with query string, and the keys that pages find them by. */
  excludedPaths: { paths: readonly string[]; keys: readonly Buffer[] };
  /**
   * Set where the project has indexes of its own: the segments of the order of arrival that they cover, one at least.
   */
  indexSegments?: readonly Segment[] | undefined;
}

export function isFiltered({ filters }: { filters: Filters }): boolean {
  return Object.keys(filters).length > 0;
}

/**
 * A search is planned once for all projects (docs/decisions/0020-generic-plans.md). Which plan is best for filters
 * depends on how many pages match.
 */
export function planFor(space: SearchSpace): 'generic' | undefined {
  return isFiltered(space) ? undefined : 'generic';
}

/**
 * The common table expression `matching`: the pages whose metadata match all filters; empty text without filters. A
 * filter matches a field that equals its scalar, types included, or that is an array containing it: both are
 * containment, so one GIN index serves them (db/functions/matching_pages.sql). Keys and values are parameters.
 */
function matchingPages({ projectId, filters }: SearchSpace): RawBuilder<unknown> {
  const wanted = Object.entries(filters);
  if (wanted.length === 0) return sql``;
  const equal = wanted.map(([key, value]) => JSON.stringify(Object.fromEntries([[key, value]])));
  const contained = wanted.map(([key, value]) => JSON.stringify(Object.fromEntries([[key, [value]]])));
  return sql`matching as materialized (
      select page_id from pathmend.matching_pages(${projectId}::uuid, ${equal}::jsonb[], ${contained}::jsonb[])
    ),`;
}

/**
 * The common table expression `excluded`: the pages of the excluded urls, and those whose path is excluded, found by
 * its key. 20,000 pages of such keys are looked at: many pages may have one path, on as many hosts.
 */
function excludedPages({ projectId, excludedUrls, excludedPaths }: SearchSpace): RawBuilder<unknown> {
  const byUrl = sql`select e.page_id from unnest(${excludedUrls}::bytea[]) as u (hash)
        ${joinLookup('pages', 'e', ['page_id'], sql`r.project_id = ${projectId} and r.url_hash = u.hash`)}`;
  const byPath = sql`select e.page_id
        from (select e.page_id from unnest(${excludedPaths.keys}::bytea[]) as k (key)
                ${joinLookup('pages', 'e', ['page_id'], sql`r.project_id = ${projectId} and r.path_key = k.key`, sql`limit 20000`)}
               limit 20000) as e
        ${joinPageRows('indexed_pages', 'i', ['path'], projectId, 'e.page_id')}
       where i.path = any (${excludedPaths.paths}::text[])`;
  const excluded = [...(excludedUrls.length > 0 ? [byUrl] : []), ...(excludedPaths.paths.length > 0 ? [byPath] : [])];
  if (excluded.length === 0) return sql``;
  return sql`excluded as materialized (${sql.join(excluded, sql` union all `)}),`;
}

/** The common table expressions that {@link allowed} needs, each with a comma behind it. */
export function spacePages(space: SearchSpace): RawBuilder<unknown> {
  return sql`${matchingPages(space)} ${excludedPages(space)}`;
}

/** The pages of a space, as a condition on a row that has a page_id; after {@link spacePages}. */
export function allowed(space: SearchSpace, alias: string): RawBuilder<unknown> {
  const pageId = sql.ref(`${alias}.page_id`);
  const conditions: RawBuilder<unknown>[] = [];
  if (isFiltered(space)) conditions.push(sql`and ${pageId} in (select page_id from matching)`);
  // Not an array: each page would be compared with all of it, one by one.
  if (space.excludedUrls.length > 0 || space.excludedPaths.paths.length > 0)
    conditions.push(sql`and ${pageId} not in (select page_id from excluded)`);
  return sql.join(conditions, sql` `);
}

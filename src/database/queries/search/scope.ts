import { sql, type RawBuilder } from 'kysely';
import type { Filters } from '../../../glossary.js';
import type { Given } from '../../session/compiled-statement.js';
import type { Tenant } from '../../session/tenants.js';
import { lookUp, rowsOf } from '../look-up.js';
import type { Segment } from '../own-indexes.js';

/** Which pages a search may answer with, and how they are reached. */
export interface Scope extends Tenant {
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
  segments?: readonly Segment[] | undefined;
}

export function isFiltered({ filters }: { filters: Filters }): boolean {
  return Object.keys(filters).length > 0;
}

/** What of a scope changes a search's statement. */
export interface ScopeShape {
  filtered: boolean;
  excludesUrls: boolean;
  excludesPaths: boolean;
  /** Whether the project has indexes of its own. */
  covered: boolean;
}

export function shapeOf(scope: Scope): ScopeShape {
  return {
    filtered: isFiltered(scope),
    excludesUrls: scope.excludedUrls.length > 0,
    excludesPaths: scope.excludedPaths.paths.length > 0,
    covered: scope.segments !== undefined,
  };
}

/**
 * Whether a search is planned once for all projects (docs/decisions/0020-generic-plans.md). Which plan is best for
 * filters depends on how many pages match.
 */
export function hasGenericPlan({ filtered }: ScopeShape): boolean {
  return !filtered;
}

/** What of a scope is sent with a search's statement. */
export interface ScopeValues {
  projectId: string;
  modelId: number;
  /** Of each segment: where it begins and ends, and its share of what they cover; and where they all end. */
  after: readonly string[];
  upTo: readonly string[];
  shares: readonly number[];
  covered: string | undefined;
  /**
   * Of each filter: metadata whose field equals its value, and metadata whose field is an array that contains it, as
   * JSON.
   */
  equal: readonly string[];
  contained: readonly string[];
  excludedUrls: readonly Buffer[];
  excludedPaths: readonly string[];
  excludedKeys: readonly Buffer[];
}

export function valuesOf(scope: Scope): ScopeValues {
  const { segments = [] } = scope;
  const passages = segments.reduce((sum, one) => sum + one.passages, 0);
  const filters = Object.entries(scope.filters);
  return {
    projectId: scope.projectId,
    modelId: scope.modelId,
    after: segments.map(({ after }) => after),
    upTo: segments.map(({ covered }) => covered),
    shares: segments.map((one) => one.passages / Math.max(1, passages)),
    covered: segments.at(-1)?.covered,
    equal: filters.map(([key, value]) => JSON.stringify(Object.fromEntries([[key, value]]))),
    contained: filters.map(([key, value]) => JSON.stringify(Object.fromEntries([[key, [value]]]))),
    excludedUrls: scope.excludedUrls,
    excludedPaths: scope.excludedPaths.paths,
    excludedKeys: scope.excludedPaths.keys,
  };
}

/** A scope as the text of a statement sees it: its shape, and where its values stand. */
export interface ScopeText extends ScopeShape {
  given: Given<ScopeValues>;
}

/**
 * The common table expression `matching`: the pages whose metadata match all filters; empty text without filters. A
 * filter matches a field that equals its scalar, types included, or that is an array containing it: both are
 * containment, so one GIN index serves them (db/functions/matching_pages.sql). Keys and values are parameters.
 */
function matchingPages({ filtered, given }: ScopeText): RawBuilder<unknown> {
  if (!filtered) return sql``;
  return sql`matching as materialized (
      select page_id from pathmend.matching_pages(${given('projectId')}::uuid, ${given('equal')}::jsonb[], ${given('contained')}::jsonb[])
    ),`;
}

/**
 * The common table expression `excluded`: the pages of the excluded urls, and those whose path is excluded, found by
 * its key. 20,000 pages of such keys are looked at: many pages may have one path, on as many hosts.
 */
function excludedPages({ excludesUrls, excludesPaths, given }: ScopeText): RawBuilder<unknown> {
  const byUrl = sql`select e.page_id from unnest(${given('excludedUrls')}::bytea[]) as u (hash)
        ${lookUp('pages', 'e', ['page_id'], sql`r.project_id = ${given('projectId')} and r.url_hash = u.hash`)}`;
  const byPath = sql`select e.page_id
        from (select e.page_id from unnest(${given('excludedKeys')}::bytea[]) as k (key)
                ${lookUp('pages', 'e', ['page_id'], sql`r.project_id = ${given('projectId')} and r.path_key = k.key`, sql`limit 20000`)}
               limit 20000) as e
        ${rowsOf('indexed_pages', 'i', ['path'], given('projectId'), 'e.page_id')}
       where i.path = any (${given('excludedPaths')}::text[])`;
  if (!excludesUrls && !excludesPaths) return sql``;
  return sql`excluded as materialized (${sql.join([...(excludesUrls ? [byUrl] : []), ...(excludesPaths ? [byPath] : [])], sql` union all `)}),`;
}

/** The common table expressions that {@link allowed} needs, each with a comma behind it. */
export function scopePages(scope: ScopeText): RawBuilder<unknown> {
  return sql`${matchingPages(scope)} ${excludedPages(scope)}`;
}

/** The pages of a scope, as a condition on a row that has a page_id; after {@link scopePages}. */
export function allowed({ filtered, excludesUrls, excludesPaths }: ScopeText, alias: string): RawBuilder<unknown> {
  const pageId = sql.ref(`${alias}.page_id`);
  const conditions: RawBuilder<unknown>[] = [];
  if (filtered) conditions.push(sql`and ${pageId} in (select page_id from matching)`);
  // Not an array: each page would be compared with all of it, one by one.
  if (excludesUrls || excludesPaths) conditions.push(sql`and ${pageId} not in (select page_id from excluded)`);
  return sql.join(conditions, sql` `);
}

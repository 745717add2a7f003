import { sql, type RawBuilder } from 'kysely';
import type { Tenant } from '../../tenants.js';
import type { Filters } from '../../../glossary.js';

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
  /** Set where the project has indexes of its own: what arrived up to here is in them. */
  covered?: string | undefined;
}

export function isFiltered(scope: Scope): boolean {
  return Object.keys(scope.filters).length > 0;
}

/**
 * The common table expression `matching`: the pages whose metadata match all filters; empty text without filters. A
 * filter matches a field that equals its scalar, types included, or that is an array containing it: both are
 * containment, so one GIN index serves them (db/functions/matching_pages.sql). Keys and values are parameters.
 */
export function matchingPages(scope: Scope): RawBuilder<unknown> {
  const filters = Object.entries(scope.filters).map(([key, value]) => {
    const equal = JSON.stringify(Object.fromEntries([[key, value]]));
    const contained = JSON.stringify(Object.fromEntries([[key, [value]]]));
    return { equal, contained };
  });
  if (filters.length === 0) return sql``;
  return sql`matching as materialized (
      select page_id from pathmend.matching_pages(${scope.projectId}::uuid,
        ${filters.map(({ equal }) => equal)}::jsonb[], ${filters.map(({ contained }) => contained)}::jsonb[])
    ),`;
}

/**
 * The pages of a scope, as a condition on a row that has a page_id; after {@link matchingPages}. What is excluded is
 * looked up once for the whole statement.
 */
export function allowed(scope: Scope, alias: string): RawBuilder<unknown> {
  const pageId = sql.ref(`${alias}.page_id`);
  const { paths, keys } = scope.excludedPaths;
  const conditions: RawBuilder<unknown>[] = [];
  if (isFiltered(scope)) conditions.push(sql`and ${pageId} in (select page_id from matching)`);
  if (scope.excludedUrls.length > 0) {
    conditions.push(sql`and ${pageId} <> all (array(
      select e.page_id from pathmend.pages e where e.project_id = ${scope.projectId} and e.url_hash = any (${scope.excludedUrls}::bytea[])))`);
  }
  if (paths.length > 0) {
    conditions.push(sql`and ${pageId} <> all (array(
      select e.page_id from pathmend.pages e
        join pathmend.indexed_pages i on i.project_id = e.project_id and i.page_id = e.page_id and i.path = any (${paths}::text[])
       where e.project_id = ${scope.projectId} and e.path_key = any (${keys}::bytea[])))`);
  }
  return sql.join(conditions, sql` `);
}

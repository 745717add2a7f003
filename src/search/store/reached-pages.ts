import { sql, type Sql } from '../../platform/database/sql.js';
import { pagesInReach } from '../../pages/store/segments.js';
import type { SearchSpace } from './space.js';

/** The common table expression `reached`: {@link pagesInReach}. Empty for a project without own indexes. */
export function reachedPages(
  { projectId, modelId, indexSegments: segments }: SearchSpace,
  { vector, ...query }: { vector: Buffer } & Omit<Parameters<typeof pagesInReach>[1], 'vector'>,
): Sql {
  if (!segments) return sql``;
  return sql`reached as materialized (
      select distinct page_id from ${pagesInReach({ projectId, modelId, segments }, { ...query, vector: sql`${vector}` })}
    ),`;
}

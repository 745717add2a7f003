import { sql, type RawBuilder } from 'kysely';
import type { SearchSpace } from './space.js';

interface ReachQuery {
  vector: Buffer;
  /** Sparse vectors: one of a question, or two of a path's and its slug's terms. */
  terms: readonly string[];
  /** Of type TermLookup[], as JSON. */
  lookups: string;
  signatures?: Record<'path' | 'slug', string>;
}

/**
 * The common table expression `reached`: the pages that the project's own indexes find
 * (db/functions/pages_in_reach.sql). Empty for a project without own indexes.
 */
export function reachedPages(
  { projectId, modelId, indexSegments: segments }: SearchSpace,
  { vector, terms, lookups, signatures }: ReachQuery,
): RawBuilder<unknown> {
  if (!segments) return sql``;
  const after = segments.map((one) => one.after);
  const upTo = segments.map((one) => one.covered);
  const passages = segments.reduce((sum, one) => sum + one.passages, 0);
  const shares = segments.map((one) => one.passages / Math.max(1, passages));
  return sql`reached as materialized (
      select distinct page_id from pathmend.pages_in_reach(
        ${projectId}::uuid, ${modelId}::integer, ${after}::bigint[], ${upTo}::bigint[], ${shares}::double precision[],
        ${vector}::halfvec,
        array[${sql.join(terms.map((one) => sql`${one}::sparsevec`))}], ${lookups}::jsonb,
        ${signatures?.path ?? sql`null`}::bit(512), ${signatures?.slug ?? sql`null`}::bit(512))
    ),`;
}

import { sql, type RawBuilder } from 'kysely';
import type { SearchSpace } from './space.js';

/** What a project's own indexes are asked for. */
export interface Asked {
  vector: Buffer;
  /** One question or two: a whole path's terms and its slug's, as sparse vectors. */
  terms: readonly string[];
  /** How terms are looked up, as JSON. */
  lookups: string;
  signatures?: Record<'path' | 'slug', string>;
}

/**
 * The common table expression `reached`: the pages that the project's own indexes find
 * (db/functions/pages_in_reach.sql); empty text where it has none.
 */
export function reachedPages(
  { projectId, modelId, indexSegments: segments }: SearchSpace,
  { vector, terms, lookups, signatures }: Asked,
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

import { sql, type RawBuilder } from 'kysely';
import type { ScopeText } from './scope.js';

/** What a project's own indexes are asked for. */
export interface Asked {
  vector: RawBuilder<unknown>;
  /** One question or two: a whole path's terms and its slug's. */
  terms: readonly RawBuilder<unknown>[];
  /** How terms are looked up, as JSON. */
  lookups: RawBuilder<unknown>;
  signatures?: Record<'path' | 'slug', RawBuilder<unknown>>;
}

/**
 * The common table expression `pool`: the pages that the project's own indexes find (db/functions/pages_in_reach.sql);
 * empty text where it has none.
 */
export function poolOf(
  { covered, given }: ScopeText,
  { vector, terms, lookups, signatures }: Asked,
): RawBuilder<unknown> {
  if (!covered) return sql``;
  return sql`pool as materialized (
      select distinct page_id from pathmend.pages_in_reach(
        ${given('projectId')}::uuid, ${given('modelId')}::integer, ${given('after')}::bigint[], ${given('upTo')}::bigint[], ${given('shares')}::double precision[],
        ${vector}::halfvec,
        array[${sql.join(terms.map((one) => sql`${one}::sparsevec`))}], ${lookups}::jsonb,
        ${signatures?.path ?? sql`null`}::bit(512), ${signatures?.slug ?? sql`null`}::bit(512))
    ),`;
}

import { sql, type RawBuilder } from 'kysely';
import type { TermWeights } from '../../../search/words/terms.js';
import { toSparse } from '../page-terms.js';
import { scaledVector } from './scans.js';
import type { Scope } from './scope.js';

/** What a project's own indexes are asked for. */
export interface Asked {
  vector: Float32Array;
  /** One question or two: a whole path's terms and its slug's. */
  terms: readonly TermWeights[];
  /** A page that has all terms of one of these sets is looked at. */
  rare: readonly (readonly number[])[];
  signatures?: { path: string; slug: string };
}

/** The pages that the project's own indexes find, as a query: see db/functions/reach.sql. */
export function poolOf(scope: Scope, { vector, terms, rare, signatures }: Asked): RawBuilder<unknown> {
  const bits = (signature: string | undefined): RawBuilder<unknown> => sql`${signature ?? null}::bit(512)`;
  return sql`select distinct page_id from pathmend.reach(
      ${scope.projectId}::uuid, ${scope.modelId}::integer, ${scope.covered}::bigint, ${scaledVector(vector)},
      array[${sql.join(terms.map((one) => sql`${toSparse(one)}::sparsevec`))}], ${JSON.stringify(rare)}::jsonb,
      ${bits(signatures?.path)}, ${bits(signatures?.slug)})`;
}

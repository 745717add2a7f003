import { sql } from 'kysely';
import type { JsonObject } from '../../../glossary.js';
import type { ContentEvidence, Weights } from '../../../search/rank/calibration.js';
import type { TermLookup } from '../../../text/words/term-lookups.js';
import type { TermWeights } from '../../../text/words/terms.js';
import { toHalfBytes } from '../../half-vectors.js';
import { compiledStatement } from '../../session/compiled-statement.js';
import { rowsOf } from '../look-up.js';
import { notMissing } from '../missing-pages.js';
import { toSparse } from '../page-terms.js';
import { poolOf } from './pool.js';
import { denseScan, lexicalScan } from './scans.js';
import {
  hasGenericPlan,
  scopePages,
  shapeOf,
  valuesOf,
  type Scope,
  type ScopeShape,
  type ScopeValues,
} from './scope.js';

/** A page with what its content says for it, and what an answer shows of it. */
export interface FoundByContent extends ContentEvidence {
  page_id: string;
  /** The weighted sum of its evidence. */
  value: number;
  url: string;
  path: string;
  title: string | null;
  metadata: JsonObject | null;
  /** Null unless asked for. */
  content: string | null;
}

interface Shape extends ScopeShape {
  withContent: boolean;
  /** Whether the text is a dead path, for which pages that are reported missing do not answer. */
  ofPath: boolean;
}

interface Values extends ScopeValues, Weights<ContentEvidence> {
  vector: Buffer;
  /** As sparse vectors and JSON. */
  terms: string;
  lookups: string;
  limit: number;
  shown: number;
  ownKeys: readonly Buffer[];
}

const statement = compiledStatement<Shape, Values, FoundByContent>((shape, given) => {
  const scope = { ...shape, given };
  const [vector, terms, project] = [given('vector'), given('terms'), given('projectId')];
  const content = shape.withContent ? sql`case when b.place <= ${given('shown')} then p.content end` : sql`null::text`;
  return sql<FoundByContent>`
    with ${scopePages(scope)} ${poolOf(scope, { vector, terms: [terms], lookups: given('lookups') })}
    ${denseScan(scope, vector)}, ${lexicalScan(scope, { lexical: terms })},
    evidence as (
      select coalesce(d.page_id, w.page_id) as page_id, greatest(0, coalesce(d.cosine, 0)) as dense,
             greatest(0, coalesce(d.beginning, 0)) as beginning, coalesce(w.lexical, 0) as lexical
        from dense d full join wording w on w.page_id = d.page_id
       ${shape.ofPath ? sql`where ${notMissing(sql`coalesce(d.page_id, w.page_id)`, project, given('ownKeys'))}` : sql``}
    ),
    best as (
      select b.*, row_number() over (order by b.value desc, b.page_id) as place
        from (select e.*, ${given('dense')}::float8 * e.dense + ${given('beginning')}::float8 * e.beginning
                            + ${given('lexical')}::float8 * e.lexical as value
                from evidence e order by value desc, e.page_id limit ${given('limit')}) as b
    )
    select b.page_id, b.dense, b.beginning, b.lexical, b.value, p.url, x.path, p.title,
           case when b.place <= ${given('shown')} then p.metadata end as metadata, ${content} as content
      from best b ${rowsOf('indexed_pages', 'x', ['path'], project, 'b.page_id')} ${rowsOf('pages', 'p', ['url', 'title', 'metadata', 'content'], project, 'b.page_id')}
     order by b.place`;
}, hasGenericPlan);

/**
 * The best pages of a scope by the weighted sum of their content's evidence, best first, equal ones in a fixed order.
 * All that an answer needs comes in this one round trip. `shown`: so many bring their metadata along, and their content
 * if it is asked for; the others are there to be compared with.
 */
export function findByContent(
  scope: Scope,
  question: {
    vector: Float32Array;
    terms: TermWeights;
    weights: Weights<ContentEvidence>;
    lookups: readonly TermLookup[];
  },
  limit: number,
  shown: number,
  withContent: boolean,
  ownKeys?: readonly Buffer[],
): Promise<FoundByContent[]> {
  const { weights, vector, terms, lookups } = question;
  return statement(
    scope.db,
    { ...shapeOf(scope), withContent, ofPath: ownKeys !== undefined },
    {
      ...valuesOf(scope),
      ...weights,
      vector: toHalfBytes(vector),
      terms: toSparse(terms),
      lookups: JSON.stringify(lookups),
      limit,
      shown,
      ownKeys: ownKeys ?? [],
    },
  );
}

import { compileOnce } from '../../platform/database/compile-once.js';
import { sql, type Sql, joinPageRows } from '../../platform/database/sql.js';
import type { TermLookup } from '../../text/words/term-lookups.js';
import type { TermWeights } from '../../text/words/terms.js';
import { toHalfBytes } from '../../platform/database/binary-values.js';
import { rowsWithPlan } from '../../platform/database/session/driver.js';
import { exceptMissing } from '../../pages/store/missing-pages.js';
import { METADATA_COLUMNS, smallMetadata } from '../../pages/store/page-listing.js';
import { toSparse } from '../../pages/store/vocabulary.js';
import type { ContentEvidence } from '../ranking/scores/calibration.js';
import {
  allowed,
  cosineWith,
  reachedPages,
  denseScan,
  lexicalScan,
  isExcluded,
  MAX_EXCLUDED,
  NO_COSINES,
  planFor,
  spacePages,
  valuesOf,
  withoutVectors,
  type FoundPage,
  type SearchSpace,
  type SpaceValues,
} from './space.js';

export type ContentWeights = Record<keyof ContentEvidence, number>;

/** A page with its evidence, and what an answer shows of it. */
export interface FoundByContent extends ContentEvidence, FoundPage {
  /** The first line of the indexed text, cut: the page's title, if the project has titles searched. */
  heading: string;
  /** The other headings of the content, each on a line, as words without endings. */
  headings: string;
  /** The nearness of the page's clicked questions to this one, 0 to 1. */
  clicked: number;
  has_vectors: boolean;
}

/** Questions of a lower cosine do not mean the same (docs/evidence/decisions/0100-clicked-questions.md). */
const MIN_COSINE = 0.5;

/** The number of pages whose questions count for a search, the nearest. */
const MAX_PAGES = 10;

/** `clicked`: the pages whose clicked questions are near, from 0 (barely) to 1 (the same). Needs `spacePages`. */
function clickedQuestions(space: SpaceValues, vector: Buffer): Sql {
  return sql`clicked as materialized (
      select page_id, (max(cosine) - ${MIN_COSINE}::float8) / ${1 - MIN_COSINE}::float8 as clicked
        from (select page_id, ${cosineWith(space, vector)} as cosine from pathmend.clicked_questions
               where project_id = ${space.projectId} and model_id = ${space.modelId} and embedding is not null) as q
       where cosine > ${MIN_COSINE}::float8 ${allowed(space, 'q')}
       group by page_id order by 2 desc, page_id limit ${MAX_PAGES}
    ),`;
}

/** No page was clicked for such a question. */
const NO_QUESTIONS = sql`clicked as (select '' as page_id, 0 as clicked where false),`;

/** So many characters of a first line are read. Few headings are longer; many texts without a heading are. */
const MAX_HEADING = 200;

/**
 * Finds the best pages of a space by the weighted sum of their evidence, best first, ties in a fixed order. One round
 * trip reads all that a suggestion needs. `ownKeys`: path keys of the dead path. Pages that are reported missing are
 * left out, unless their path has one of these keys. `clickedWeight`: that of clicked questions, 0 to do without them.
 */
export function findByContent(
  space: SearchSpace,
  question: {
    vector: Float32Array;
    terms: TermWeights;
    weights: ContentWeights;
    lookups: readonly TermLookup[];
    clickedWeight: number;
  },
  limit: number,
  ownKeys?: readonly Buffer[],
): Promise<FoundByContent[]> {
  const { vector, terms, weights, lookups, clickedWeight } = question;
  const statement = compiledByContent(space.db, {
    space: valuesOf(space),
    vector: toHalfBytes(vector),
    isSimilarToNothing: vector.every((value) => value === 0),
    terms: toSparse(terms),
    weights: { ...weights, withoutVectors: withoutVectors(weights) },
    lookups: JSON.stringify(lookups),
    clickedWeight,
    readsClicked: clickedWeight > 0,
    limit,
    ownKeys,
  });
  return rowsWithPlan(space.db, statement, planFor(space));
}

/** The values of the statement. */
interface Values {
  space: SpaceValues;
  vector: Buffer;
  isSimilarToNothing: boolean;
  terms: string;
  weights: ContentWeights & { withoutVectors: number };
  lookups: string;
  clickedWeight: number;
  readsClicked: boolean;
  limit: number;
  ownKeys: readonly Buffer[] | undefined;
}

const compiledByContent = compileOnce((values: Values) => {
  const { space, vector, isSimilarToNothing, terms, weights, lookups, clickedWeight, readsClicked, limit, ownKeys } =
    values;
  const project = space.projectId;
  const excluded = isExcluded(space, sql`e.page_id`);
  const value = sql`${weights.dense}::float8 * e.dense + ${weights.beginning}::float8 * e.beginning
                      + ${weights.denseTitle}::float8 * e."denseTitle" + ${weights.denseMax}::float8 * e."denseMax"
                      + ${weights.lexical}::float8 * e.lexical + ${clickedWeight}::float8 * e.clicked
                      + case when e.has_vectors then 0 else ${weights.withoutVectors}::float8 end`;
  const nearest = (among: Sql, max: number): Sql =>
    sql`(select e.*, ${value} as value from evidence e ${among} order by value desc, e.page_id limit ${max})`;
  const leftOut = excluded && sql`union all ${nearest(sql`where ${excluded}`, MAX_EXCLUDED)}`;
  return sql<FoundByContent>`
    with ${spacePages(space)}
    ${readsClicked ? clickedQuestions(space, vector) : NO_QUESTIONS}
    ${reachedPages(space, { vector, terms: [terms], lookups }, sql`union select page_id from clicked`)}
    ${isSimilarToNothing ? NO_COSINES : denseScan(space, vector)}, ${lexicalScan(space, { lexical: terms })},
    evidence as (
      select coalesce(d.page_id, w.page_id) as page_id, greatest(0, coalesce(d.cosine, 0)) as dense,
             greatest(0, coalesce(d.beginning, 0)) as beginning,
             greatest(0, coalesce(d.title_cosine, 0)) as "denseTitle",
             greatest(0, d.cosine, d.beginning, d.title_cosine) as "denseMax", coalesce(w.lexical, 0) as lexical,
             d.cosine is not null as has_vectors,
             -- A join of so few rows was planned as a loop over all pages.
             coalesce(((select jsonb_object_agg(page_id, clicked) from clicked) ->> coalesce(d.page_id, w.page_id))::float8, 0) as clicked
        from dense d full join wording w on w.page_id = d.page_id
       ${ownKeys ? sql`where ${exceptMissing(sql`coalesce(d.page_id, w.page_id)`, project, ownKeys)}` : sql``}
    ),
    best as (
      select b.*, row_number() over (order by b.value desc, b.page_id) as place
        from (${nearest(excluded ? sql`where not ${excluded}` : sql``, limit)} ${leftOut ?? sql``}) as b
    )
    select b.page_id, b.dense, b.beginning, b."denseTitle", b."denseMax", b.lexical, b.clicked, b.has_vectors, p.url, x.path, x.headings, x.indexed_at is null as is_waiting, p.title, ${smallMetadata},
           ${isExcluded(space, sql`b.page_id`) ?? sql`false`} as is_excluded,
           case when p.title <> '' and (select j.title_evidence from pathmend.projects j where j.project_id = ${project})
                then p.title else split_part(ltrim(left(p.content, ${MAX_HEADING}), E' \\n\\t\\r#'), E'\\n', 1)
           end as heading
      from best b ${joinPageRows('indexed_pages', 'x', ['path', 'headings', 'indexed_at'], project, 'b.page_id')}
      ${joinPageRows('pages', 'p', ['url', 'title', ...METADATA_COLUMNS, 'content'], project, 'b.page_id')}
     order by b.place`;
});

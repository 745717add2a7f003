import { sql, type Sql } from '../../platform/database/sql.js';
import { allowed, cosineWith, type SearchSpace } from './space.js';

/** Questions of a lower cosine do not mean the same (docs/evidence/decisions/0100-clicked-questions.md). */
const MIN_COSINE = 0.5;

/** The number of pages whose questions count for a search, the nearest. */
const MAX_PAGES = 10;

/**
 * `clicked`: the pages whose clicked questions are near to this one, from 0 (barely) to 1 (the same), as a common table
 * expression with a trailing comma. Needs `spacePages`.
 */
export function clickedQuestions(space: SearchSpace, vector: Buffer): Sql {
  return sql`clicked as materialized (
      select page_id, (max(cosine) - ${MIN_COSINE}::float8) / ${1 - MIN_COSINE}::float8 as clicked
        from (select page_id, ${cosineWith(space, vector)} as cosine from pathmend.clicked_questions
               where project_id = ${space.projectId} and model_id = ${space.modelId} and embedding is not null) as q
       where cosine > ${MIN_COSINE}::float8 ${allowed(space, 'q')}
       group by page_id order by 2 desc, page_id limit ${MAX_PAGES}
    ),`;
}

/** No page was clicked for such a question. */
export const NO_QUESTIONS = sql`clicked as (select '' as page_id, 0 as clicked where false),`;

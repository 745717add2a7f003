import { toHalfBytes } from '../../platform/database/binary-values.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { ProjectRange } from '../../platform/database/project-range.js';
import { MIN_QUESTION_CLICKS } from '../learned/clicked-page.js';
import { query, sha256, sql, type Sql } from '../../platform/database/sql.js';

/** A search with a question that was followed by a click on a page. */
export interface QuestionClick {
  question: string;
  page_id: string;
  clicked_at: string;
}

/** So many questions of a project are evidence, those clicked last: to compare a question with all takes 1 ms. */
const MAX_QUESTIONS = 2_000;

/** Counts clicks on answers to questions. Clicks on deleted pages are left out. */
export async function addQuestionClicks(trx: Trx, projectId: string, clicks: readonly QuestionClick[]): Promise<void> {
  const rows = clicks.map((click) => ({ ...click, question: questionText(click.question) }));
  await sql`
    insert into pathmend.clicked_questions as q (project_id, question_hash, page_id, question, clicks, last_clicked_at)
    select ${projectId}::uuid, sha256(convert_to(i.question, 'UTF8')), p.page_id, i.question, i.clicks, i.clicked_at
      from (select page_id, question, count(*) as clicks, max(clicked_at) as clicked_at
              from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
                   as r (page_id text, question text, clicked_at timestamptz)
             group by 1, 2) as i
      join pathmend.pages p on p.project_id = ${projectId} and p.page_id = i.page_id
     order by p.page_id, i.question
       -- Waits for pages that are being deleted, and leaves them out: their foreign keys would fail.
       for key share of p
    on conflict (project_id, question_hash, page_id) do update set
      clicks = q.clicks + excluded.clicks, last_clicked_at = greatest(q.last_clicked_at, excluded.last_clicked_at)
  `.execute(trx);
}

/** The text by which two questions are the same one. */
function questionText(question: string): string {
  return question.trim().toLowerCase().split(/\s+/u).join(' ');
}

/** Takes the vectors of questions that are no evidence any longer; returns how many. */
export async function dropVectors(trx: Trx, projectId: string): Promise<number> {
  const { numAffectedRows } = await sql`
    update pathmend.clicked_questions set model_id = null, embedding = null
     where project_id = ${projectId} and embedding is not null
       and (question_hash, page_id) not in (select e.question_hash, e.page_id from (${selectEvidence(projectId)}) as e)
  `.execute(trx);
  return Number(numAffectedRows ?? 0);
}

/** Finds questions that are evidence and have no vector of this model, in the order in which clicks lock them. */
export function findQuestionsWithoutVector(db: Db, projectId: string, modelId: number, limit: number) {
  return query(sql<{ question: string; page_id: string }>`
    select question, page_id from (${selectEvidence(projectId)}) as e
     where model_id is distinct from ${modelId} order by page_id, question limit ${limit}`).rows(db);
}

/** Selects the questions that are evidence, each with the page that got more than half of its clicks. */
function selectEvidence(projectId: string): Sql {
  return sql`
    select q.question_hash, q.page_id, q.question, q.model_id from pathmend.clicked_questions q
     where q.project_id = ${projectId} and q.clicks >= ${MIN_QUESTION_CLICKS}
       and 2 * q.clicks > (select sum(s.clicks) from pathmend.clicked_questions s
                            where s.project_id = ${projectId} and s.question_hash = q.question_hash)
     order by q.last_clicked_at desc, q.question_hash limit ${MAX_QUESTIONS}`;
}

export async function storeVector(
  trx: Trx,
  projectId: string,
  modelId: number,
  { question, page_id, vector }: { question: string; page_id: string; vector: Float32Array },
): Promise<void> {
  await sql`
    update pathmend.clicked_questions set model_id = ${modelId}, embedding = ${toHalfBytes(vector)}::halfvec
     where project_id = ${projectId} and question_hash = ${sha256(question)} and page_id = ${page_id}`.execute(trx);
}

/** Deletes the questions without a click since `before`; returns the projects whose answers change. */
export async function dropStaleQuestions(trx: Trx, before: Date, { from, to }: ProjectRange): Promise<string[]> {
  return query(sql<{ project_id: string }>`
    with dropped as (
      delete from pathmend.clicked_questions
       where project_id between ${from} and ${to} and last_clicked_at < ${before}
      returning project_id, embedding
    )
    select distinct project_id from dropped where embedding is not null order by project_id`).column(trx, 'project_id');
}

/** Deletes one clicked question of a project, or all; returns how many. */
export async function deleteClickedQuestions(trx: Trx, projectId: string, question?: string): Promise<number> {
  const ofProject = trx.deleteFrom('pathmend.clicked_questions').where('project_id', '=', projectId);
  const meant = question === undefined ? ofProject : ofProject.where('question', '=', questionText(question));
  return Number((await meant.executeTakeFirst()).numDeletedRows);
}

import { readAnsweringModel, setModel } from '../../projects/project-model.js';
import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { ModelStore, StoredModel } from '../../embedding/model-registry.js';
import { noteModelFailure } from './model-choices.js';
import { indexedText, indexedTitle, type ClaimedPage } from './page-status.js';

/** Registers a model. @returns its id, which depends on the files' contents, not on their location */
export async function registerModel(db: Db, model: Omit<StoredModel, 'model_id'>): Promise<number> {
  // Citus takes no subquery among the values of an insert.
  const { rows } = await sql<{ model_id: number }>`
    insert into pathmend.models (fingerprint, name, location, dimensions, configured_at)
    select ${model.fingerprint}::text, ${model.name}::text, ${model.location}::text, ${model.dimensions}::int,
           greatest(now(), max(configured_at) + interval '1 microsecond')
      from pathmend.models
    on conflict (fingerprint) do update set location = excluded.location, configured_at = excluded.configured_at
    returning model_id`.execute(db);
  return (rows[0] as { model_id: number }).model_id;
}

export function findModel(db: Db, modelId: number): Promise<StoredModel | undefined> {
  return db
    .selectFrom('pathmend.models')
    .select(['model_id', 'fingerprint', 'name', 'location', 'dimensions'])
    .where('model_id', '=', modelId)
    .executeTakeFirst();
}

export function modelStore(db: Db): ModelStore {
  return {
    registerModel: (model) => registerModel(db, model),
    noteFailure: (name, cause) => noteModelFailure(db, name, cause),
    findModel: (modelId) => findModel(db, modelId),
    findAnsweringModels: (limit) => findAnsweringModels(db, limit),
    isAnswering: async (modelId) => {
      const projects = db.selectFrom('pathmend.projects').select('project_id').where('model_id', '=', modelId);
      const row = await projects.limit(1).executeTakeFirst();
      return row !== undefined;
    },
  };
}

/** Finds the answering models of all projects, most used first. */
export function findAnsweringModels(db: Db, limit: number): Promise<number[]> {
  return query(sql<{ model_id: number }>`
    select model_id from pathmend.projects where model_id is not null
     group by 1 order by count(*) desc, 1 limit ${limit}`).column(db, 'model_id');
}

/** Finds, for each model that answers, the project whose key was used last. */
export function findAnsweringProjects(db: Db, limit: number): Promise<string[]> {
  return query(sql<{ project_id: string }>`
    select distinct on (p.model_id) p.project_id
      from pathmend.projects p
      left join pathmend.api_keys k on k.project_id = p.project_id
     where p.model_id is not null
     order by p.model_id, k.last_used_at desc nulls last limit ${limit}`).column(db, 'project_id');
}

/** Chunks `v` of pages `page` under a model, unless another model has later ones. */
const freshVectors = (modelId: number, page: Sql): Sql => sql`
  select from pathmend.chunks v
   where v.project_id = ${page}.project_id and v.model_id = ${modelId} and v.page_id = ${page}.page_id
     and not exists (select from pathmend.chunks o
                      where o.project_id = v.project_id and o.page_id = v.page_id and o.model_id <> v.model_id
                        and o.arrival > v.arrival)`;

/**
 * Finds indexed pages without current vectors of a model, by id, after `after`. `model_id` is null, so that vectors of
 * the answering model stay. Vectors are not current if a worker with another model has stored new content since.
 */
export async function findPagesWithoutVectors(
  db: Db,
  projectId: string,
  modelId: number,
  after: string,
  limit: number,
): Promise<ClaimedPage[]> {
  return query(sql<ClaimedPage>`
    select p.project_id, p.page_id, p.url, ${indexedText} as content, ${indexedTitle} as title,
           p.content_version, null as stage, true as has_former, null::integer as model_id
      from pathmend.indexed_pages x
      join pathmend.projects j on j.project_id = x.project_id
      join pathmend.pages p on p.project_id = x.project_id and p.page_id = x.page_id
                           and p.content_version = x.content_version
     where x.project_id = ${projectId} and x.page_id > ${after} and x.indexed_at is not null
       and not exists (${freshVectors(modelId, sql`x`)})
     order by x.page_id limit ${limit}`).rows(db);
}

/** Whether a page, except those of `except`, has current vectors only of other models. */
async function wouldLoseVectors(trx: Trx, projectId: string, modelId: number, except: readonly string[]) {
  return query(sql<{ exists: boolean }>`
    select exists (
      select from pathmend.chunks w
        join pathmend.indexed_pages x on x.project_id = w.project_id and x.page_id = w.page_id
        join pathmend.pages p on p.project_id = x.project_id and p.page_id = x.page_id
                             and p.content_version = x.content_version
       where w.project_id = ${projectId} and w.model_id <> ${modelId} and w.page_id <> all (${except}::text[])
         and not exists (${freshVectors(modelId, sql`w`)})) as exists`).value(trx, 'exists', false);
}

/** Counts the pages with vectors of a model. */
export async function countPagesOfModel(db: Db, projectId: string, modelId: number): Promise<number> {
  return query(sql<{ pages: number }>`
    select count(distinct page_id)::int as pages from pathmend.chunks
     where project_id = ${projectId} and model_id = ${modelId}`).value(db, 'pages', 0);
}

export interface FailedPage {
  pageId: string;
  contentVersion: string;
  reason: string;
}

/** Marks pages that a model could not embed, except those with new content, which has its own job. */
export async function markEmbeddingFailed(trx: Trx, projectId: string, pages: readonly FailedPage[]): Promise<void> {
  await sql`
    update pathmend.pages p set status = 'ERROR', status_at = now(), error = i.reason
      from unnest(${pages.map((page) => page.pageId)}::text[], ${pages.map((page) => page.contentVersion)}::bigint[],
                  ${pages.map((page) => page.reason)}::text[]) as i (page_id, version, reason)
     where p.project_id = ${projectId} and p.page_id = i.page_id and p.content_version = i.version
       and p.status = 'INDEXED'`.execute(trx);
}

/**
 * Changes a project's model and deletes the vectors of all others. Content that changed meanwhile has its own job,
 * which writes vectors of both models before the switch, and only of this one after it.
 * @throws Error if a page that is not in `failed` would be without vectors, because a worker with another model
 *   stored it meanwhile
 */
export async function switchModel(trx: Trx, projectId: string, modelId: number, failed: readonly string[]) {
  // Excludes transactions with lockAnsweringModel.
  await sql`select from pathmend.index_versions where project_id = ${projectId} for update`.execute(trx);
  if (await wouldLoseVectors(trx, projectId, modelId, failed))
    throw new Error('a page was stored without vectors of the new model: goes on with the next attempt');
  await setModel(trx, projectId, modelId);
  await trx
    .deleteFrom('pathmend.chunks')
    .where('project_id', '=', projectId)
    .where('model_id', '<>', modelId)
    .execute();
}

/**
 * Like {@link readAnsweringModel}, with a lock until the end of the transaction, so that {@link switchModel} waits.
 * Locks the row of the project's version, which exists with a model, and on Citus lies with the project's rows.
 */
export async function lockAnsweringModel(trx: Trx, projectId: string): Promise<number | null> {
  // This is a separate statement, so that the second one sees the result of a switch that this one waited for.
  await sql`select from pathmend.index_versions where project_id = ${projectId} for key share`.execute(trx);
  return readAnsweringModel(trx, projectId);
}

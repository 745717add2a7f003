import { query, sql } from '../platform/database/sql.js';
import type { Db, Trx } from '../platform/database/db.js';

/** The project's model; null before its first page is indexed. */
export async function readAnsweringModel(db: Db, projectId: string): Promise<number | null> {
  return query(sql<{ model_id: number | null }>`
    select model_id from pathmend.projects where project_id = ${projectId}`).value(db, 'model_id', null);
}

/** A project gets the model of its first vectors; {@link setModel} may change it. */
export async function adoptModel(trx: Trx, projectId: string, modelId: number): Promise<void> {
  await sql`
    update pathmend.projects set model_id = ${modelId}
     where project_id = ${projectId} and model_id is null`.execute(trx);
}

/** Has another model answer the project. The caller must hold its index version. */
export async function setModel(trx: Trx, projectId: string, modelId: number): Promise<void> {
  await sql`update pathmend.projects set model_id = ${modelId} where project_id = ${projectId}`.execute(trx);
}

/** Stores what `auto` decides, unless another worker was first. */
export async function storeModelDecision(db: Db, projectId: string, decision: object): Promise<void> {
  await sql`
    update pathmend.projects set model_decided = ${JSON.stringify(decision)}::jsonb
     where project_id = ${projectId} and model_decided is null`.execute(db);
}

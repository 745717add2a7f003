import type { Db, Trx } from '../platform/database/db.js';

/** The project's model; null before its first page is indexed. */
export async function readAnsweringModel(db: Db, projectId: string): Promise<number | null> {
  const project = db.selectFrom('pathmend.projects').select('model_id').where('project_id', '=', projectId);
  return (await project.executeTakeFirst())?.model_id ?? null;
}

const updateProject = (db: Db, projectId: string) =>
  db.updateTable('pathmend.projects').where('project_id', '=', projectId);

/** A project gets the model of its first vectors; {@link setModel} may change it. */
export async function adoptModel(trx: Trx, projectId: string, modelId: number): Promise<void> {
  await updateProject(trx, projectId).set({ model_id: modelId }).where('model_id', 'is', null).execute();
}

/** Has another model answer the project. The caller must hold its index version. */
export async function setModel(trx: Trx, projectId: string, modelId: number): Promise<void> {
  await updateProject(trx, projectId).set({ model_id: modelId }).execute();
}

/** Stores what `auto` decides, unless another worker was first. */
export async function storeModelDecision(db: Db, projectId: string, decision: object): Promise<void> {
  const model_decided = JSON.stringify(decision);
  await updateProject(db, projectId).set({ model_decided }).where('model_decided', 'is', null).execute();
}

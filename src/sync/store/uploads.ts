import { query, sql } from '../../platform/database/sql.js';
import type { Db, Row, Trx } from '../../platform/database/db.js';

export type UploadRow = Pick<Row<'uploads'>, 'upload_id' | 'name'> & { bytes: number };

/** Finds the complete uploaded file of a project. */
export function findUpload(db: Db, projectId: string): Promise<UploadRow | undefined> {
  return db
    .selectFrom('pathmend.uploads')
    .select(['upload_id', 'name', 'bytes'])
    .where('project_id', '=', projectId)
    .where('bytes', 'is not', null)
    .$narrowType<{ bytes: number }>()
    .executeTakeFirst();
}

const deleteUploadsOf = (trx: Trx, projectId: string) =>
  trx.deleteFrom('pathmend.uploads').where('project_id', '=', projectId);

/** Begins an upload, and drops an incomplete one. */
export async function beginUpload(trx: Trx, projectId: string, name: string, at: Date): Promise<string> {
  await deleteUploadsOf(trx, projectId).where('bytes', 'is', null).execute();
  const begun = await trx
    .insertInto('pathmend.uploads')
    .values({ project_id: projectId, name, begun_at: at })
    .returning('upload_id')
    .executeTakeFirstOrThrow();
  return begun.upload_id;
}

/** Adds a chunk to a file. Returns false if the file was dropped meanwhile. */
export async function addUploadChunk(db: Db, projectId: string, uploadId: string, place: number, bytes: Buffer) {
  return query(sql<{ place: number }>`
    insert into pathmend.upload_chunks (project_id, upload_id, place, bytes)
    select project_id, upload_id, ${place}::int, ${bytes}::bytea from pathmend.uploads
     where project_id = ${projectId} and upload_id = ${uploadId} and bytes is null
       for key share
    returning place`).some(db);
}

/** Completes a file, and deletes the previous one. Returns false if it was dropped meanwhile. */
export async function endUpload(trx: Trx, projectId: string, uploadId: string, bytes: number): Promise<boolean> {
  await deleteUploadsOf(trx, projectId).where('bytes', 'is not', null).execute();
  const { numUpdatedRows } = await trx
    .updateTable('pathmend.uploads')
    .set({ bytes })
    .where('project_id', '=', projectId)
    .where('upload_id', '=', uploadId)
    .where('bytes', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteUploads(trx: Trx, projectId: string): Promise<void> {
  await deleteUploadsOf(trx, projectId).execute();
}

/** Reads a chunk; undefined if it does not exist, or the file was replaced. */
export async function readUploadChunk(db: Db, projectId: string, uploadId: string, place: number) {
  const chunk = await db
    .selectFrom('pathmend.upload_chunks')
    .select('bytes')
    .where('project_id', '=', projectId)
    .where('upload_id', '=', uploadId)
    .where('place', '=', place)
    .executeTakeFirst();
  return chunk?.bytes;
}

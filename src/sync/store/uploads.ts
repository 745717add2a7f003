import { firstOf, hasRows, valueOf, sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';

export interface UploadRow {
  upload_id: string;
  name: string;
  bytes: number;
}

/** The complete uploaded file of a project. */
export async function findUpload(db: Db, projectId: string): Promise<UploadRow | undefined> {
  return firstOf(
    db,
    sql<UploadRow>`
    select upload_id, name, bytes from pathmend.uploads
     where project_id = ${projectId} and bytes is not null`,
  );
}

/** Begins a file, and drops an incomplete one. */
export async function beginUpload(trx: Trx, projectId: string, name: string, at: Date): Promise<string> {
  await sql`delete from pathmend.uploads where project_id = ${projectId} and bytes is null`.execute(trx);
  return valueOf(
    trx,
    sql<{ upload_id: string }>`
    insert into pathmend.uploads (project_id, name, begun_at)
    values (${projectId}, ${name}, ${at}) returning upload_id`,
    'upload_id',
    '',
  );
}

/** False: the file was dropped meanwhile. */
export async function addUploadChunk(db: Db, projectId: string, uploadId: string, place: number, bytes: Buffer) {
  return hasRows(
    db,
    sql<{ place: number }>`
    insert into pathmend.upload_chunks (project_id, upload_id, place, bytes)
    select project_id, upload_id, ${place}::int, ${bytes}::bytea from pathmend.uploads
     where project_id = ${projectId} and upload_id = ${uploadId} and bytes is null
       for key share
    returning place`,
  );
}

/** Completes a file, and deletes the previous one. False: it was dropped meanwhile. */
export async function endUpload(trx: Trx, projectId: string, uploadId: string, bytes: number): Promise<boolean> {
  await sql`delete from pathmend.uploads where project_id = ${projectId} and bytes is not null`.execute(trx);
  return hasRows(
    trx,
    sql<{ bytes: number }>`
    update pathmend.uploads set bytes = ${bytes}
     where project_id = ${projectId} and upload_id = ${uploadId} and bytes is null returning bytes`,
  );
}

export async function deleteUploads(trx: Trx, projectId: string): Promise<void> {
  await sql`delete from pathmend.uploads where project_id = ${projectId}`.execute(trx);
}

/** Undefined if the chunk does not exist, or the file was replaced. */
export async function readUploadChunk(db: Db, projectId: string, uploadId: string, place: number) {
  return valueOf(
    db,
    sql<{ bytes: Buffer }>`
    select bytes from pathmend.upload_chunks
     where project_id = ${projectId} and upload_id = ${uploadId} and place = ${place}`,
    'bytes',
    undefined,
  );
}

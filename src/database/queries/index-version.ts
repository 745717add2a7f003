import { sql } from '#kysely';
import type { Db, Trx } from '../db.js';

/**
 * Must be the last statement of a transaction that changes an index, because it locks the row until the commit. After
 * the commit the caller must tell IndexChanges (src/keys/index-changes.ts), which ends leases on the old version.
 * @param words the change in the number of the vocabulary's words.
 */
export async function bumpIndexVersion(trx: Trx, projectId: string, words = 0): Promise<void> {
  await sql`
    insert into pathmend.index_versions as v (project_id, version, words) values (${projectId}, 2, ${words})
    on conflict (project_id) do update set version = v.version + 1, words = v.words + excluded.words`.execute(trx);
}

/** 1 for a project that never had a page. */
export async function readIndexVersion(db: Db, projectId: string): Promise<number> {
  const { rows } = await sql<{ version: string }>`
    select version from pathmend.index_versions where project_id = ${projectId}`.execute(db);
  return Number(rows[0]?.version ?? 1);
}

import { sql } from 'kysely';
import type { Trx } from '../db.js';

/**
 * Must be the last statement of a transaction that changes an index: it holds the row until commit. After the commit,
 * the caller tells IndexChanges (src/keys/index-changes.ts), which ends the leases on the version before.
 * @param words how many words the vocabulary has gained; negative when it has lost some.
 */
export async function bumpIndexVersion(trx: Trx, projectId: string, words = 0): Promise<void> {
  await sql`
    insert into pathmend.index_versions as v (project_id, version, words) values (${projectId}, 2, ${words})
    on conflict (project_id) do update set version = v.version + 1, words = v.words + excluded.words`.execute(trx);
}

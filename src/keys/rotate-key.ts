import { inTransaction } from '../database/session/connect.js';
import type { Db } from '../database/db.js';
import { expireKey, findValidKey, type KeyRow } from '../database/queries/key-rows.js';
import { createKey } from './create-key.js';

/**
 * Makes a key in the place of another, with its project, mode and scopes. Both are valid for `overlapMs`, so that a
 * site can take over the new one without a gap; then the old one expires.
 * @param expiresAt of the new key; null: never.
 * @returns undefined when there is no such key, or it is valid no more.
 */
export function rotateKey(
  db: Db,
  which: { hash: Buffer } | { id: string },
  overlapMs: number,
  expiresAt: Date | null,
): Promise<{ key: string; row: KeyRow; old: KeyRow; oldExpiresAt: Date } | undefined> {
  return inTransaction(db, async (trx) => {
    const old = await findValidKey(trx, which);
    if (!old) return undefined;
    const made = await createKey(trx, { projectId: old.project_id, mode: old.mode, scopes: old.scopes, expiresAt });
    const end = new Date(Date.now() + overlapMs);
    await expireKey(trx, old.key_id, end);
    return { ...made, old, oldExpiresAt: old.expires_at !== null && old.expires_at < end ? old.expires_at : end };
  });
}

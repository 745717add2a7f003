import type { Trx } from '../platform/database/db.js';
import { expireKey, findValidKey, type KeyRow } from './store/keys.js';
import { createKey } from './create-key.js';

export interface RotatedKey {
  key: string;
  row: KeyRow;
  old: KeyRow;
  oldExpiresAt: Date;
}

/**
 * Replaces a key by a new one with the same project, mode and scopes. Both are valid for `overlapMs`, so that a site
 * can switch without a gap. Then the old key expires.
 * @param expiresAt when the new key expires; null: never.
 * @returns undefined when there is no such key, or it has expired.
 */
export async function rotateKey(
  trx: Trx,
  which: { hash: Buffer } | { id: string },
  overlapMs: number,
  expiresAt: Date | null,
): Promise<RotatedKey | undefined> {
  const old = await findValidKey(trx, which);
  if (!old) return undefined;
  const made = await createKey(trx, {
    projectId: old.project_id,
    name: old.name,
    mode: old.mode,
    scopes: old.scopes,
    expiresAt,
  });
  const end = new Date(Date.now() + overlapMs);
  await expireKey(trx, old.key_id, end);
  return { ...made, old, oldExpiresAt: old.expires_at !== null && old.expires_at < end ? old.expires_at : end };
}

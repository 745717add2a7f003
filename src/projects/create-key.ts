import type { Db } from '../platform/database/db.js';
import { insertKey, type KeyRow } from './store/keys.js';
import type { KeyMode, Scope } from '../base/glossary.js';
import { hashKey, mintKey } from './api-key.js';

/** Makes a key and stores its hash. The key itself is only returned. */
export async function createKey(
  db: Db,
  options: {
    projectId: string;
    /** What its owner calls it. */
    name?: string | null;
    mode: KeyMode;
    scopes: readonly Scope[];
    expiresAt: Date | null;
  },
): Promise<{ key: string; row: KeyRow }> {
  const key = mintKey(options.mode);
  const row = await insertKey(db, {
    project_id: options.projectId,
    key_hash: hashKey(key),
    ending: key.slice(-4),
    name: options.name ?? null,
    mode: options.mode,
    scopes: [...options.scopes],
    expires_at: options.expiresAt,
  });
  return { key, row };
}

import { recordChange, type AboutProject, type Actor } from '../accounts/actor.js';
import type { KeyMode, Scope } from '../base/glossary.js';
import type { Db } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { hashKey, mintKey } from './api-key.js';
import { checkName } from './projects.js';
import { expireKey, findValidKey, insertKey, revokeKey, type KeyRow, type WhichKey } from './store/keys.js';
import { findProject } from './store/projects.js';

const MAX_NAME = 100;

interface KeyOptions {
  /** The name that the owner gives the key. */
  name?: string | null;
  mode: KeyMode;
  scopes: readonly Scope[];
  expiresAt: Date | null;
}

/** Makes a key and stores its hash. The key itself is only returned. */
export async function createKey(db: Db, options: KeyOptions & { projectId: string }) {
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

/** Creates a key as the change of an actor, with its entry in the audit log. @throws ApiError invalid_request */
export async function makeKey(db: Db, actor: Actor, project: NonNullable<AboutProject>, key: KeyOptions) {
  const name = key.name == null ? null : checkName(key.name, MAX_NAME);
  return inTransaction(db, async (trx) => {
    const made = await createKey(trx, { ...key, name, projectId: project.project_id });
    await recordChange(trx, actor, project, 'key made', nameOf(made.row));
    return made;
  });
}

/**
 * Replaces a key by a new one with the same project, mode and scopes. Both are valid for `overlapMs`, so that a site
 * can switch without a gap. Then the old key expires.
 * @param expiresAt when the new key expires; null: never.
 * @returns undefined when there is no such key, or it has expired.
 */
export async function rotateKey(db: Db, actor: Actor, which: WhichKey, overlapMs: number, expiresAt: Date | null) {
  return inTransaction(db, async (trx) => {
    const old = await findValidKey(trx, which);
    if (!old) return undefined;
    const { project_id: projectId, name, mode, scopes } = old;
    const made = await createKey(trx, { projectId, name, mode, scopes, expiresAt });
    const end = new Date(Date.now() + overlapMs);
    await expireKey(trx, old.key_id, end);
    const subject = `${nameOf(old)}, now …${made.row.ending}`;
    await recordChange(trx, actor, await findProject(trx, projectId), 'key rotated', subject);
    return { ...made, old, oldExpiresAt: old.expires_at !== null && old.expires_at < end ? old.expires_at : end };
  });
}

/** Undefined if there is no such key. */
export async function endKey(db: Db, actor: Actor, which: WhichKey) {
  return inTransaction(db, async (trx) => {
    const row = await revokeKey(trx, which);
    if (row) await recordChange(trx, actor, await findProject(trx, row.project_id), 'key revoked', nameOf(row));
    return row;
  });
}

export function nameOf({ name, ending }: KeyRow): string {
  return name === null ? `…${ending}` : `${name} (…${ending})`;
}

import { recordChange, type AboutProject, type Actor } from '../accounts/actor.js';
import { invalid } from '../base/errors.js';
import type { KeyMode, Scope } from '../base/glossary.js';
import type { Db } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { hashKey, mintKey } from './api-key.js';
import { expireKey, findValidKey, insertKey, revokeKey, type KeyRow } from './store/keys.js';
import { findProject } from './store/projects.js';

const MAX_NAME = 100;

export interface RotatedKey {
  key: string;
  row: KeyRow;
  old: KeyRow;
  oldExpiresAt: Date;
}

/** Makes a key and stores its hash. The key itself is only returned. */
export async function createKey(
  db: Db,
  options: {
    projectId: string;
    /** The name that the owner gives the key. */
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

/**
 * Creates a key like {@link createKey}, as the change of an actor, with its entry in the audit log.
 * @throws ApiError invalid_request
 */
export async function makeKey(
  db: Db,
  actor: Actor,
  project: NonNullable<AboutProject>,
  key: { name: string | null; mode: KeyMode; scopes: readonly Scope[]; expiresAt: Date | null },
): Promise<{ key: string; row: KeyRow }> {
  const name = key.name === null ? null : key.name.trim();
  if (name !== null && (name === '' || [...name].length > MAX_NAME))
    throw invalid('name', `name must have 1 to ${MAX_NAME} characters.`);
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
export async function rotateKey(
  db: Db,
  actor: Actor,
  which: { hash: Buffer } | { id: string },
  overlapMs: number,
  expiresAt: Date | null,
): Promise<RotatedKey | undefined> {
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
export async function endKey(db: Db, actor: Actor, which: { hash: Buffer } | { id: string }) {
  return inTransaction(db, async (trx) => {
    const row = await revokeKey(trx, which);
    if (row) await recordChange(trx, actor, await findProject(trx, row.project_id), 'key revoked', nameOf(row));
    return row;
  });
}

export function nameOf({ name, ending }: KeyRow): string {
  return name === null ? `…${ending}` : `${name} (…${ending})`;
}

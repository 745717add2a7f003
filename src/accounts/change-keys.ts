import { invalid } from '../base/errors.js';
import type { KeyMode, Scope } from '../base/glossary.js';
import type { Db } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { createKey } from '../projects/create-key.js';
import { rotateKey, type RotatedKey } from '../projects/rotate-key.js';
import { revokeKey, type KeyRow } from '../projects/store/keys.js';
import { findProject } from '../projects/store/projects.js';
import { recordChange, type AboutProject, type Actor } from './actor.js';

const MAX_NAME = 100;

/** Makes a key. @throws ApiError invalid_request */
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

/** Undefined where there is no such key, or it is valid no more. */
export async function replaceKey(
  db: Db,
  actor: Actor,
  which: { hash: Buffer } | { id: string },
  overlapMs: number,
  expiresAt: Date | null,
): Promise<RotatedKey | undefined> {
  return inTransaction(db, async (trx) => {
    const rotated = await rotateKey(trx, which, overlapMs, expiresAt);
    if (rotated) {
      const subject = `${nameOf(rotated.old)}, now …${rotated.row.ending}`;
      await recordChange(trx, actor, await findProject(trx, rotated.row.project_id), 'key rotated', subject);
    }
    return rotated;
  });
}

/** Undefined if there is no such key. */
export async function endKey(
  db: Db,
  actor: Actor,
  which: { hash: Buffer } | { id: string },
): Promise<KeyRow | undefined> {
  return inTransaction(db, async (trx) => {
    const row = await revokeKey(trx, which);
    if (row) await recordChange(trx, actor, await findProject(trx, row.project_id), 'key revoked', nameOf(row));
    return row;
  });
}

export function nameOf({ name, ending }: KeyRow): string {
  return name === null ? `…${ending}` : `${name} (…${ending})`;
}

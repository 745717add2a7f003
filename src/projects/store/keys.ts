import { NOW, sql } from '../../platform/database/sql.js';
import type { Db, NewRow, Row } from '../../platform/database/db.js';

const COLUMNS = [
  'key_id',
  'project_id',
  'ending',
  'name',
  'mode',
  'scopes',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const;

/** db/migrations/0003_projects.sql says what the columns mean. */
export type KeyRow = Pick<Row<'api_keys'>, (typeof COLUMNS)[number]>;

const isValid = sql<boolean>`(revoked_at is null and (expires_at is null or expires_at > now()))`;

export function insertKey(db: Db, key: NewRow<'api_keys'>): Promise<KeyRow> {
  return db.insertInto('pathmend.api_keys').values(key).returning(COLUMNS).executeTakeFirstOrThrow();
}

export function listKeys(db: Db, projectId: string): Promise<KeyRow[]> {
  const keys = db.selectFrom('pathmend.api_keys').select(COLUMNS).where('project_id', '=', projectId);
  return keys.orderBy('created_at').execute();
}

/** The hash of a key, or its id. */
export type WhichKey = { hash: Buffer } | { id: string };

const isKey = (which: WhichKey) =>
  'hash' in which ? sql<boolean>`key_hash = ${which.hash}` : sql<boolean>`key_id::text = ${which.id.toLowerCase()}`;

/** Finds a key that is neither revoked nor expired. */
export function findValidKey(db: Db, which: WhichKey): Promise<KeyRow | undefined> {
  return db.selectFrom('pathmend.api_keys').select(COLUMNS).where(isKey(which)).where(isValid).executeTakeFirst();
}

/** Reads the name or the ending of a key, by which its owner recognises it. */
export async function readKeyName(db: Db, keyId: string): Promise<string> {
  const keys = db.selectFrom('pathmend.api_keys').select(['name', 'ending']).where('key_id', '=', keyId);
  const key = await keys.executeTakeFirst();
  return key ? key.name || `…${key.ending}` : keyId;
}

/** The hashes that belong to a valid key. */
export async function findValidKeyHashes(db: Db, hashes: readonly Buffer[]): Promise<Buffer[]> {
  const known = sql<boolean>`key_hash = any (${hashes}::bytea[])`;
  const rows = await db.selectFrom('pathmend.api_keys').select('key_hash').where(known).where(isValid).execute();
  return rows.map(({ key_hash: hash }) => hash);
}

/** Sets the time at which a key expires, unless it expires earlier. */
export async function expireKey(db: Db, keyId: string, at: Date): Promise<void> {
  const expires_at = sql<Date>`least(expires_at, ${at})`;
  await db.updateTable('pathmend.api_keys').set({ expires_at }).where('key_id', '=', keyId).execute();
}

/** Undefined if there is no such key. */
export function revokeKey(db: Db, which: WhichKey): Promise<KeyRow | undefined> {
  return db
    .updateTable('pathmend.api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', NOW) }))
    .where(isKey(which))
    .returning(COLUMNS)
    .executeTakeFirst();
}

import { columnOf, firstOf, rowsOf, valueOf, sql, type Sql } from '../../platform/database/sql.js';
import type { KeyMode, Scope } from '../../base/glossary.js';
import type { Db } from '../../platform/database/db.js';

export interface KeyRow {
  key_id: string;
  project_id: string;
  ending: string;
  /** The owner calls it so. */
  name: string | null;
  mode: KeyMode;
  scopes: Scope[];
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

const KEY_COLUMNS = sql`
  key_id, project_id, ending, name, mode, scopes, created_at, expires_at, revoked_at, last_used_at`;

/** A new key is stored with these columns. */
type NewKey = Pick<KeyRow, 'project_id' | 'ending' | 'name' | 'mode' | 'scopes' | 'expires_at'> & { key_hash: Buffer };

export async function insertKey(db: Db, key: NewKey): Promise<KeyRow> {
  const { rows } = await sql<KeyRow>`
    insert into pathmend.api_keys (project_id, key_hash, ending, name, mode, scopes, expires_at)
    values (${key.project_id}, ${key.key_hash}, ${key.ending}, ${key.name}, ${key.mode}, ${key.scopes}, ${key.expires_at})
    returning ${KEY_COLUMNS}`.execute(db);
  return rows[0] as KeyRow;
}

export function listKeys(db: Db, projectId: string): Promise<KeyRow[]> {
  return rowsOf(
    db,
    sql<KeyRow>`
    select ${KEY_COLUMNS} from pathmend.api_keys where project_id = ${projectId} order by created_at`,
  );
}

/** Finds a key that is neither revoked nor expired. */
export function findValidKey(db: Db, which: { hash: Buffer } | { id: string }): Promise<KeyRow | undefined> {
  return firstOf(
    db,
    sql<KeyRow>`
    select ${KEY_COLUMNS} from pathmend.api_keys
     where ${isKey(which)} and revoked_at is null and (expires_at is null or expires_at > now())`,
  );
}

/** Reads the name or the ending of a key, by which its owner recognises it. */
export async function readKeyName(db: Db, keyId: string): Promise<string> {
  return valueOf(
    db,
    sql<{ name: string }>`
    select coalesce(nullif(name, ''), '…' || ending) as name from pathmend.api_keys where key_id = ${keyId}
  `,
    'name',
    keyId,
  );
}

/** The hashes that belong to a valid key. */
export function findValidKeyHashes(db: Db, hashes: readonly Buffer[]): Promise<Buffer[]> {
  return columnOf(
    db,
    sql<{ key_hash: Buffer }>`
    select key_hash from pathmend.api_keys
     where key_hash = any (${hashes}::bytea[])
       and revoked_at is null and (expires_at is null or expires_at > now())`,
    'key_hash',
  );
}

/** Sets the time at which a key expires, unless it expires earlier. */
export async function expireKey(db: Db, keyId: string, at: Date): Promise<void> {
  await sql`update pathmend.api_keys set expires_at = least(expires_at, ${at}) where key_id = ${keyId}`.execute(db);
}

function isKey(which: { hash: Buffer } | { id: string }): Sql {
  return 'hash' in which ? sql`key_hash = ${which.hash}` : sql`key_id::text = ${which.id.toLowerCase()}`;
}

/** Undefined if there is no such key. */
export function revokeKey(db: Db, which: { hash: Buffer } | { id: string }): Promise<KeyRow | undefined> {
  return firstOf(
    db,
    sql<KeyRow>`
    update pathmend.api_keys set revoked_at = coalesce(revoked_at, now())
     where ${isKey(which)}
    returning ${KEY_COLUMNS}`,
  );
}

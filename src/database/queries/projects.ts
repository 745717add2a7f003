import { sql, type RawBuilder } from 'kysely';
import type { KeyMode, Plan, Rates, Scope } from '../../glossary.js';
import type { Db, Trx } from '../db.js';

export interface ProjectRow {
  project_id: string;
  name: string;
  plan: Plan | null;
  access: 'open' | 'restricted';
  read_rate: number;
  read_burst: number;
  write_rate: number;
  write_burst: number;
}

const COLUMNS = [
  'project_id',
  'name',
  'plan',
  'access',
  'read_rate',
  'read_burst',
  'write_rate',
  'write_burst',
] as const;

/** Undefined when the name is taken. */
export async function insertProject(
  db: Db,
  project: { name: string; plan: Plan | null } & Rates,
): Promise<ProjectRow | undefined> {
  return db
    .insertInto('pathmend.projects')
    .values(project)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning(COLUMNS)
    .executeTakeFirst();
}

/** By identifier or by name. */
export async function findProject(db: Db, idOrName: string): Promise<ProjectRow | undefined> {
  return (
    db
      .selectFrom('pathmend.projects')
      .select(COLUMNS)
      .where((is) => is.or([is('name', '=', idOrName), is(sql<string>`project_id::text`, '=', idOrName.toLowerCase())]))
      // A name that looks like another project's identifier loses against it.
      .orderBy(sql`(project_id::text = ${idOrName.toLowerCase()})`, 'desc')
      .executeTakeFirst()
  );
}

export async function listProjects(db: Db): Promise<ProjectRow[]> {
  return db.selectFrom('pathmend.projects').select(COLUMNS).orderBy('name').execute();
}

export type ProjectChange = Partial<Omit<ProjectRow, 'project_id'>>;

export async function updateProject(db: Db, projectId: string, change: ProjectChange): Promise<ProjectRow | undefined> {
  return db
    .updateTable('pathmend.projects')
    .set(change)
    .where('project_id', '=', projectId)
    .returning(COLUMNS)
    .executeTakeFirst();
}

/** Pages, vectors, vocabulary, keys and buckets go with it, by their foreign keys. */
export async function deleteProjectRow(trx: Trx, projectId: string): Promise<void> {
  await trx.deleteFrom('pathmend.projects').where('project_id', '=', projectId).execute();
}

export interface KeyRow {
  key_id: string;
  project_id: string;
  ending: string;
  mode: KeyMode;
  scopes: Scope[];
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

const KEY_COLUMNS = [
  'key_id',
  'project_id',
  'ending',
  'mode',
  'scopes',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const;

export async function insertKey(
  db: Db,
  key: {
    project_id: string;
    key_hash: Buffer;
    ending: string;
    mode: KeyMode;
    scopes: Scope[];
    expires_at: Date | null;
  },
): Promise<KeyRow> {
  return db.insertInto('pathmend.api_keys').values(key).returning(KEY_COLUMNS).executeTakeFirstOrThrow();
}

export async function listKeys(db: Db, projectId: string): Promise<KeyRow[]> {
  return db
    .selectFrom('pathmend.api_keys')
    .select(KEY_COLUMNS)
    .where('project_id', '=', projectId)
    .orderBy('created_at')
    .execute();
}

/** The key as it is, when it is valid still. */
export async function findValidKey(db: Db, which: { hash: Buffer } | { id: string }): Promise<KeyRow | undefined> {
  const { rows } = await sql<KeyRow>`
    select key_id, project_id, ending, mode, scopes, created_at, expires_at, revoked_at, last_used_at from pathmend.api_keys
     where ${isKey(which)} and revoked_at is null and (expires_at is null or expires_at > now())`.execute(db);
  return rows[0];
}

/** Those of these hashes that belong to a valid key. */
export async function validKeyHashes(db: Db, hashes: readonly Buffer[]): Promise<Buffer[]> {
  const { rows } = await sql<{ key_hash: Buffer }>`
    select key_hash from pathmend.api_keys
     where key_hash = any (${hashes}::bytea[]) and revoked_at is null and (expires_at is null or expires_at > now())`.execute(
    db,
  );
  return rows.map(({ key_hash }) => key_hash);
}

/** Lets a key expire, unless it does so earlier. */
export async function expireKey(db: Db, keyId: string, at: Date): Promise<void> {
  await sql`update pathmend.api_keys set expires_at = least(expires_at, ${at}) where key_id = ${keyId}`.execute(db);
}

function isKey(which: { hash: Buffer } | { id: string }): RawBuilder<unknown> {
  return 'hash' in which ? sql`key_hash = ${which.hash}` : sql`key_id::text = ${which.id.toLowerCase()}`;
}

/** Takes effect with the next request on every instance. Undefined when there is no such key. */
export async function revokeKey(db: Db, which: { hash: Buffer } | { id: string }): Promise<KeyRow | undefined> {
  const { rows } = await sql<KeyRow>`
    update pathmend.api_keys set revoked_at = coalesce(revoked_at, now())
     where ${isKey(which)}
    returning key_id, project_id, ending, mode, scopes, created_at, expires_at, revoked_at, last_used_at`.execute(db);
  return rows[0];
}

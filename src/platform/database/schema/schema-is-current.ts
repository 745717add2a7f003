import { join } from 'node:path';
import { sql } from '../sql.js';
import type pg from 'pg';
import type { Db } from '../db.js';
import { newestMigration } from './migrate.js';
import { expectedCatalogue } from './catalogue.js';
import { readSqlFolder } from './statements.js';

/**
 * Whether every migration of this release is applied, every object that the release uses exists, and the server is
 * writable. A replica is not writable: it answers, too, and after a fail-over the address may lead to one for a while.
 * Newer migrations are accepted: otherwise a later release that migrates would take all instances of this one out of
 * service. `besides` are tables that other packages create.
 */
export async function schemaIsCurrent(db: Db, folder: string, besides: readonly string[] = []): Promise<boolean> {
  const known = await readSqlFolder(join(folder, 'migrations'));
  const names = [...(await namesOf(folder)), ...besides];
  const { rows } = await sql<{ newest: number | null; replica: boolean; missing: boolean }>`
    select (select max(number) from pathmend.migrations) as newest, pg_is_in_recovery() as replica,
           exists (select from unnest(${names}::text[]) as asked (name)
                    where not exists (select from pg_namespace n join pg_class c on c.relnamespace = n.oid
                                       where n.nspname = split_part(name, '.', 1)
                                         and c.relname = split_part(name, '.', 2))
                      and not exists (select from pg_namespace n join pg_proc p on p.pronamespace = n.oid
                                       where n.nspname = split_part(name, '.', 1)
                                         and p.proname = split_part(name, '.', 2))) as missing`.execute(db);
  const { newest, replica, missing } = rows[0] ?? { newest: 0, replica: true, missing: true };
  if (replica) return false;
  // This release need not find objects that a later one has removed.
  return (newest ?? 0) > known.length || (newest === known.length && !missing);
}

/** Reads the newest migration of a database (null where there is none) and the newest of this release. */
export async function schemaVersions(client: pg.ClientBase, folder: string) {
  const known = (await readSqlFolder(join(folder, 'migrations'))).length;
  const { rows } = await client.query<{ there: boolean }>(
    `select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                     where n.nspname = 'pathmend' and c.relname = 'migrations') as there`,
  );
  return { newest: rows[0]?.there ? await newestMigration(client) : null, known };
}

/** Names of tables, views and functions, without parameters. */
async function namesOf(folder: string): Promise<string[]> {
  const objects = [...(await expectedCatalogue(folder)).keys()];
  const names = objects.flatMap((object) => /^(?:table|view|function) ([^(]+)/.exec(object)?.[1] ?? []);
  return [...new Set(names)];
}

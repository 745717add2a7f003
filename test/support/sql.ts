import pg from 'pg';
import { runningEmbedded } from '#src/platform/database/embedded/start-embedded.js';
import type { Service } from '#src/app/service.js';
import type { TestDatabase } from './database.js';

/** A statement on the service's own database, beside it. */
export async function query<Row extends pg.QueryResultRow>(
  service: Service,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await service.database.connection.pool.query<Row>(text, values)).rows;
}

/** A connection of one's own to a database that another process may be serving. */
export async function connectTo({ environment }: TestDatabase): Promise<pg.Client> {
  const url =
    environment['DATABASE_DIRECT_URL'] ??
    environment['DATABASE_URL'] ??
    (await runningEmbedded(environment['DATA_DIR'] ?? ''));
  if (url === undefined) throw new Error('no server runs the embedded database');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** A database that outlives the services that are started on it. */
export function kept(database: TestDatabase): TestDatabase {
  return { ...database, drop: () => Promise.resolve() };
}

/** Every table, of every schema, in which some row holds this text in some column, or its bytes. */
export async function tablesHolding(service: Service, needle: string): Promise<string[]> {
  const tables = await query<{ name: string }>(
    service,
    `select format('%I.%I', n.nspname, c.relname) as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_t%'
      order by 1`,
  );
  const hex = Buffer.from(needle).toString('hex');
  const holding: string[] = [];
  for (const { name } of tables) {
    const rows = await query(
      service,
      `select from ${name} t where position($1 in t::text) > 0 or position($2 in t::text) > 0 limit 1`,
      [needle, hex],
    );
    if (rows.length > 0) holding.push(name);
  }
  return holding;
}

import type { Kysely, Transaction } from 'kysely';

/** Kysely's query builder is not used: statements are written with `sql` (sql.ts). db/schema.sql has the tables. */
export type Database = Record<string, never>;
/** The database of all projects or of one tenant. */
export type Db = Kysely<Database>;
export type Trx = Transaction<Database>;

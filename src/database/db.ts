import type { Kysely, Transaction } from 'kysely';
import type { Database } from './tables.js';

/** The database, as the query builder knows it: all of it, or what a tenant sees. */
export type Db = Kysely<Database>;
export type Trx = Transaction<Database>;

import type { Kysely, Transaction } from 'kysely';
import type { Database } from './tables.js';

/** The database as the query builder sees it, of all projects or of one tenant. */
export type Db = Kysely<Database>;
export type Trx = Transaction<Database>;

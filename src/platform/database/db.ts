import type { Insertable, Kysely, Selectable, Transaction } from 'kysely';
import type { Database } from './tables.js';

export type { Database };
/** The database of all projects or of one tenant. */
export type Db = Kysely<Database>;
export type Trx = Transaction<Database>;

/** A table's name without its schema. */
export type TableName = keyof Database extends `pathmend.${infer Name}` ? Name : never;
/** A row of a table, as it is read. */
export type Row<Table extends TableName> = Selectable<Database[`pathmend.${Table}`]>;
/** A row of a table, as it is stored. */
export type NewRow<Table extends TableName> = Insertable<Database[`pathmend.${Table}`]>;

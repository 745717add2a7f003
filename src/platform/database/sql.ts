// eslint-disable-next-line no-restricted-syntax
import { sql, type RawBuilder } from 'kysely';
import type { Db } from './db.js';

/** Kysely's `sql` is for statements that its builder cannot say, or only in more words than SQL: joins, sums, CTEs. */
export { sql };
/** A statement, or a part of one. */
export type Sql<Row = unknown> = RawBuilder<Row>;

export async function rowsOf<Row>(db: Db, statement: Sql<Row>): Promise<Row[]> {
  return (await statement.execute(db)).rows;
}

export async function firstOf<Row>(db: Db, statement: Sql<Row>): Promise<Row | undefined> {
  return (await rowsOf(db, statement))[0];
}

/** The value of one column in the first row; `otherwise` if that is null, or there is no row. */
export async function valueOf<Row, Name extends keyof Row, Else>(
  db: Db,
  statement: Sql<Row>,
  name: Name,
  otherwise: Else,
): Promise<NonNullable<Row[Name]> | Else> {
  return (await firstOf(db, statement))?.[name] ?? otherwise;
}

export async function hasRows(db: Db, statement: Sql): Promise<boolean> {
  return (await rowsOf(db, statement)).length > 0;
}

/** The values of one column. */
export async function columnOf<Row, Name extends keyof Row>(
  db: Db,
  statement: Sql<Row>,
  name: Name,
): Promise<Row[Name][]> {
  return (await rowsOf(db, statement)).map((row) => row[name]);
}

/**
 * A lateral join, as `alias`, of the rows `r` of a table that meet a condition. `offset 0` makes the planner do one
 * index look-up for each row on the left: it does not know how many these are, and when it expected many it read the
 * whole project to join fifty.
 * @param upTo `limit …`, if the number of matching rows depends on a tenant's data.
 */
export function joinLookup(
  table: string,
  alias: string,
  columns: readonly string[],
  where: Sql,
  upTo = sql`offset 0`,
): Sql {
  const select = sql.join(columns.map((column) => sql.ref(`r.${column}`)));
  const rows = sql`select ${select} from ${sql.table(`pathmend.${table}`)} r where ${where} ${upTo}`;
  return sql`cross join lateral (${rows}) as ${sql.ref(alias)}`;
}

/** {@link joinLookup} by page id. */
export function joinPageRows(
  table: string,
  alias: string,
  columns: readonly string[],
  project: string,
  pageId: string,
): Sql {
  return joinLookup(table, alias, columns, sql`r.project_id = ${project} and r.page_id = ${sql.ref(pageId)}`);
}

/** {@link joinLookup} of a word in the project's vocabulary, as `v`. */
export function joinVocabulary(project: string, word: string): Sql {
  return joinLookup('vocabulary', 'v', ['word', 'pages'], sql`r.project_id = ${project} and r.word = ${sql.ref(word)}`);
}

// eslint-disable-next-line no-restricted-syntax
import { sql, type RawBuilder } from 'kysely';
import type { Db } from './db.js';

/** Kysely's `sql` is for what its builder cannot express, or only in more words than SQL: joins, sums, CTEs. */
export { sql };
/** A statement, or a part of one. */
export type Sql<Row = unknown> = RawBuilder<Row>;

/** The moment of the transaction, for the builder. */
export const NOW = sql<Date>`now()`;

/** A SQL expression: the SHA-256 of a text, null of null. */
export const sha256 = (text: string | null): Sql<Buffer> => sql<Buffer>`sha256(convert_to(${text}, 'UTF8'))`;

/** The ways to read the answer of a statement. */
export function query<Row>(statement: Sql<Row>) {
  const rows = async (db: Db): Promise<Row[]> => (await statement.execute(db)).rows;
  const first = async (db: Db): Promise<Row | undefined> => (await rows(db))[0];
  return {
    rows,
    first,
    /** The value of one column in the first row; `otherwise` if that is null, or there is no row. */
    value: async <Name extends keyof Row, Else>(db: Db, name: Name, otherwise: Else) =>
      (await first(db))?.[name] ?? otherwise,
    some: async (db: Db) => (await rows(db)).length > 0,
    column: async <Name extends keyof Row>(db: Db, name: Name) => (await rows(db)).map((row) => row[name]),
  };
}

/**
 * A lateral join, as `alias`, of rows `r` that meet a condition. `offset 0` makes the planner do an index look-up for
 * each row on the left: it does not know their number; where it expected many, it read the whole project to join fifty.
 * @param upTo `limit …`, if the number of matching rows depends on a tenant's data.
 */
export function joinLookup(table: string, alias: string, columns: readonly string[], where: Sql, upTo = sql`offset 0`) {
  const select = sql.join(columns.map((column) => sql.ref(`r.${column}`)));
  const rows = sql`select ${select} from ${sql.table(`pathmend.${table}`)} r where ${where} ${upTo}`;
  return sql`cross join lateral (${rows}) as ${sql.ref(alias)}`;
}

/** Joins rows by page id, as {@link joinLookup} does. */
export function joinPageRows(table: string, alias: string, columns: readonly string[], project: string, page: string) {
  return joinLookup(table, alias, columns, sql`r.project_id = ${project} and r.page_id = ${sql.ref(page)}`);
}

/** Joins pages by page id as `x`, only those that are INDEXED or were: redirects lead to no other. */
export function joinIndexedPages(columns: readonly string[], projectId: string, pageId: string): Sql {
  const isOne = sql`r.project_id = ${projectId} and r.page_id = ${sql.ref(pageId)} and r.indexed_at is not null`;
  return joinLookup('indexed_pages', 'x', columns, isOne);
}

/** Joins the row of a word in the project's vocabulary, as `v`, by {@link joinLookup}. */
export function joinVocabulary(project: string, word: string): Sql {
  return joinLookup('vocabulary', 'v', ['word', 'pages'], sql`r.project_id = ${project} and r.word = ${sql.ref(word)}`);
}

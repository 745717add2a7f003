import { sql, type Sql } from './sql.js';

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

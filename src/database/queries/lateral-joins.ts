import { sql, type RawBuilder } from 'kysely';

/**
 * Joins the rows `r` of a table that meet this condition for a row found before, as `alias`: by one look-up in an index
 * for each, whatever the planner expects (`offset 0` keeps the look-up whole). It cannot know how many rows were found,
 * and where it expected many it read the whole project to join fifty.
 * @param upTo `limit …`, where a tenant decides how many rows there are.
 */
export function joinLookup(
  table: string,
  alias: string,
  columns: readonly string[],
  where: RawBuilder<unknown>,
  upTo = sql`offset 0`,
): RawBuilder<unknown> {
  const select = sql.join(columns.map((column) => sql.ref(`r.${column}`)));
  return sql`cross join lateral (select ${select} from ${sql.table(`pathmend.${table}`)} r where ${where} ${upTo}) as ${sql.ref(alias)}`;
}

/** {@link joinLookup} of the rows that belong to a page. */
export function joinPageRows(
  table: string,
  alias: string,
  columns: readonly string[],
  project: string,
  pageId: string,
): RawBuilder<unknown> {
  return joinLookup(table, alias, columns, sql`r.project_id = ${project} and r.page_id = ${sql.ref(pageId)}`);
}

/** {@link joinLookup} of a word in the project's vocabulary, as `v`. */
export function joinVocabulary(project: string, word: string): RawBuilder<unknown> {
  return joinLookup('vocabulary', 'v', ['word', 'pages'], sql`r.project_id = ${project} and r.word = ${sql.ref(word)}`);
}

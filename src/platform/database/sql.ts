// eslint-disable-next-line no-restricted-syntax
import { CompiledQuery, sql as kyselySql, type Expression, type OperationNode, type QueryResult } from 'kysely';
import type { Db } from './db.js';

/**
 * A statement, or a part of one: texts, with a value between each two. Kysely's own makes a tree of frozen nodes:
 * building and walking it took a sixth of a suggest's CPU.
 */
export class Sql<Row = unknown> implements Expression<Row> {
  readonly texts: readonly string[];
  readonly values: readonly unknown[];

  constructor(texts: readonly string[], values: readonly unknown[] = []) {
    this.texts = texts;
    this.values = values;
  }

  /** Kysely's builder tells an expression from a value by this. */
  get expressionType(): Row | undefined {
    return undefined;
  }

  toOperationNode(): OperationNode {
    return kyselySql(this.texts, ...this.values).toOperationNode();
  }

  compile(): CompiledQuery<Row> {
    return CompiledQuery.raw(
      this.texts.reduce((text, next, at) => `${text}$${at}${next}`),
      [...this.values],
    ) as CompiledQuery<Row>;
  }

  execute(db: Db): Promise<QueryResult<Row>> {
    return db.executeQuery(this.compile());
  }
}

function build<Row>(texts: readonly string[], ...parts: unknown[]): Sql<Row> {
  let open = texts[0] ?? '';
  const [closed, values]: [string[], unknown[]] = [[], []];
  for (let at = 0; at < parts.length; at++) {
    const value = parts[at];
    const { texts: inner, values: more } = value instanceof Sql ? value : { texts: ['', ''], values: [value] };
    for (let place = 0; place < inner.length; place++) {
      if (place > 0) {
        closed.push(open);
        open = '';
      }
      open += inner[place] ?? '';
    }
    values.push(...more);
    open += texts[at + 1] ?? '';
  }
  return new Sql([...closed, open], values);
}

function quote(name: string): Sql {
  return new Sql([`"${name.replaceAll('"', '""').replaceAll('.', '"."')}"`]);
}

/** This is for statements that Kysely's builder cannot say, or only in more words than SQL: joins, sums, CTEs. */
export const sql = Object.assign(build, {
  ref: quote,
  table: quote,
  raw: (text: string) => new Sql([text]),
  join: (parts: readonly unknown[], between = new Sql([', '])) =>
    build(['', ...parts.slice(1).map(() => between.texts.join('')), ''], ...parts),
});

/** The moment of the transaction, for the builder. */
export const NOW = sql<Date>`now()`;

/** A SQL expression: the SHA-256 of a text, null of null. */
export const sha256 = (text: string | null): Sql<Buffer> => sql<Buffer>`sha256(convert_to(${text}, 'UTF8'))`;

/** The ways to read the answer of a statement. */
export interface Query<Row> {
  rows(db: Db): Promise<Row[]>;
  first(db: Db): Promise<Row | undefined>;
  /** The value of one column in the first row; `otherwise` if that is null, or there is no row. */
  value<Name extends keyof Row, Else>(db: Db, name: Name, otherwise: Else): Promise<NonNullable<Row[Name]> | Else>;
  /** Whether there is a row. */
  some(db: Db): Promise<boolean>;
  /** The values of one column. */
  column<Name extends keyof Row>(db: Db, name: Name): Promise<Row[Name][]>;
}

export function query<Row>(statement: Sql<Row>): Query<Row> {
  const rows = async (db: Db): Promise<Row[]> => (await statement.execute(db)).rows;
  const first = async (db: Db): Promise<Row | undefined> => (await rows(db))[0];
  return {
    rows,
    first,
    value: async (db, name, otherwise) => (await first(db))?.[name] ?? otherwise,
    some: async (db) => (await rows(db)).length > 0,
    column: async (db, name) => (await rows(db)).map((row) => row[name]),
  };
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

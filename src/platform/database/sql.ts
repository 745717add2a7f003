import { CompiledQuery, type QueryResult } from 'kysely';
import type { Db } from './db.js';

/**
 * A statement or a part of one: texts, and what stands between them, parts or values. It is written as Kysely's own
 * `sql` and compiles to the same text with the same parameters, but without a tree of nodes: a suggest's statement of
 * 81 parameters takes a third of the time (docs/evidence/decisions/0020-generic-plans.md).
 */
export class Sql<Row = unknown> {
  private readonly texts: readonly string[];
  private readonly parts: readonly unknown[];

  constructor(texts: readonly string[], parts: readonly unknown[]) {
    this.texts = texts;
    this.parts = parts;
  }

  compile(): CompiledQuery<Row> {
    const parameters: unknown[] = [];
    return CompiledQuery.raw(this.writeTo(parameters), parameters);
  }

  execute(db: Db): Promise<QueryResult<Row>> {
    return db.executeQuery<Row>(this.compile());
  }

  async rows(db: Db): Promise<Row[]> {
    return (await this.execute(db)).rows;
  }

  async first(db: Db): Promise<Row | undefined> {
    return (await this.rows(db))[0];
  }

  /** The value of one column in the first row; `otherwise` if that is null, or there is no row. */
  async value<Name extends keyof Row, Else>(
    db: Db,
    name: Name,
    otherwise: Else,
  ): Promise<NonNullable<Row[Name]> | Else> {
    return (await this.first(db))?.[name] ?? otherwise;
  }

  /** Whether there is a row. */
  async some(db: Db): Promise<boolean> {
    return (await this.rows(db)).length > 0;
  }

  /** The values of one column. */
  async column<Name extends keyof Row>(db: Db, name: Name): Promise<Row[Name][]> {
    return (await this.rows(db)).map((row) => row[name]);
  }

  /** The text; the values are added to `parameters`. */
  private writeTo(parameters: unknown[]): string {
    let [text = ''] = this.texts;
    for (let at = 0; at < this.parts.length; at++) {
      const part = this.parts[at];
      if (part instanceof Sql) text += part.writeTo(parameters);
      else text += `$${parameters.push(part)}`;
      text += this.texts[at + 1] ?? '';
    }
    return text;
  }
}

const COMMA = new Sql([', '], []);

/** An identifier, quoted. `table.column` and `schema.table` are two. */
function identifier(name: string): Sql {
  const quoted = name.split('.').map((one) => `"${one.replaceAll('"', '""')}"`);
  return new Sql([quoted.join('.')], []);
}

/** A text of our own. */
function raw(text: string): Sql {
  return new Sql([text], []);
}

function join(parts: readonly unknown[], separator = COMMA): Sql {
  const all = parts.flatMap((part, at) => (at === 0 ? [part] : [separator, part]));
  return new Sql(Array<string>(all.length + 1).fill(''), all);
}

export const sql = Object.assign(
  <Row = unknown>(texts: TemplateStringsArray, ...parts: readonly unknown[]) => new Sql<Row>(texts, parts),
  { join, raw, ref: identifier, table: identifier },
);

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

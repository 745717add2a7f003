import { CompiledQuery, sql, type RawBuilder } from 'kysely';
import type { Db } from '../db.js';
import type { QueryOptions } from './session.js';

/** Where a value of this name stands in a statement. */
export type Given<Values> = (name: keyof Values & string) => RawBuilder<unknown>;

class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

interface Compiled {
  text: string;
  /** What is sent with it, in order: the value of each name. */
  names: readonly string[];
}

/**
 * A statement that is compiled once for each of its few shapes, and then sent with other values
 * (docs/decisions/0021-compiled-statements.md).
 *
 * @param write the statement of a shape; all its values are `given`.
 * @param isGeneric whether a session plans this shape once for all values (docs/decisions/0020-generic-plans.md).
 */
export function compiledStatement<Shape extends object, Values extends object, Row>(
  write: (shape: Shape, given: Given<Values>) => RawBuilder<Row>,
  isGeneric: (shape: Shape) => boolean = () => false,
): (db: Db, shape: Shape, values: Values) => Promise<Row[]> {
  const compiled = new Map<string, Compiled>();

  function compile(db: Db, shape: Shape): Compiled {
    const { sql: text, parameters } = write(shape, (name) => sql`${new Place(name)}`).compile(db);
    const names = parameters.map((one) => {
      // One shape's value would be sent with all others.
      if (!(one instanceof Place)) throw new Error('a compiled statement holds a value that is not given');
      return one.name;
    });
    return { text, names };
  }

  return async (db, shape, values) => {
    const key = JSON.stringify(shape);
    let statement = compiled.get(key);
    if (!statement) compiled.set(key, (statement = compile(db, shape)));
    const parameters = statement.names.map((name) => values[name as keyof Values]);
    const query: CompiledQuery<Row> & QueryOptions = {
      ...CompiledQuery.raw(statement.text, parameters),
      plan: isGeneric(shape) ? 'generic' : undefined,
    };
    return (await db.executeQuery<Row>(query)).rows;
  };
}

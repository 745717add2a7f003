import { createHash } from 'node:crypto';
import { CompiledQuery, sql, type RawBuilder } from 'kysely';
import type { Db } from '../db.js';
import { keepingItsPlan } from './kept-plans.js';

/** Where a value of this name stands in a statement. */
export type Given<Values> = (name: keyof Values & string) => RawBuilder<unknown>;

class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

interface Kept {
  text: string;
  /** What is sent with it, in order: the value of each name. */
  names: readonly string[];
}

/**
 * A statement that is written and compiled once for each of its few shapes, and then sent with other values: with its
 * vector as bytes, this took 70 µs off the main thread's 860 of a question (docs/benchmarks.md).
 *
 * @param write the statement of a shape; all its values are `given`.
 * @param keepsPlan whether a session plans this shape once for all values, see kept-plans.ts.
 */
export function keptStatements<Shape extends object, Values extends object, Row>(
  write: (shape: Shape, given: Given<Values>) => RawBuilder<Row>,
  keepsPlan: (shape: Shape) => boolean = () => false,
): (db: Db, shape: Shape, values: Values) => Promise<Row[]> {
  const kept = new Map<string, Kept>();

  function compile(db: Db, shape: Shape): Kept {
    const { sql: text, parameters } = write(shape, (name) => sql`${new Place(name)}`).compile(db);
    const names = parameters.map((one) => {
      // One shape's value would be sent with all others.
      if (!(one instanceof Place)) throw new Error('a kept statement holds a value that is not given');
      return one.name;
    });
    return {
      text: keepsPlan(shape) ? keepingItsPlan(text, createHash('sha256').update(text).digest('hex')) : text,
      names,
    };
  }

  return async (db, shape, values) => {
    const key = JSON.stringify(shape);
    let statement = kept.get(key);
    if (!statement) kept.set(key, (statement = compile(db, shape)));
    const parameters = statement.names.map((name) => values[name as keyof Values]);
    const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(statement.text, parameters));
    return rows;
  };
}

import { expect } from 'chai';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql as ofKysely,
  type RawBuilder,
} from 'kysely';
import { sql } from '#src/platform/database/sql.js';
import type { Database } from '#src/platform/database/db.js';

const db = new Kysely<Database>({
  dialect: {
    createDriver: () => new DummyDriver(),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (of) => new PostgresIntrospector(of),
  },
});

/** The same statement in either: values of each kind, parts inside parts, none, lists, names. */
function statement(tag: typeof sql | typeof ofKysely): { sql: string; parameters: readonly unknown[] } {
  const make = tag as typeof sql;
  const part = make`r.page_id = any (${['a', 'b']}::text[]) and r.key = ${Buffer.from([1])}`;
  const names = make.join([make.ref('r.page_id'), make.ref('odd"name'), make`max(${1})`]);
  const made = make`select ${names} from ${make.table('pathmend.pages')} r where ${part} ${make``} limit ${null}`;
  const either: Pick<RawBuilder<unknown>, 'compile'> = make.join([made, made], make` union all `);
  const { sql: text, parameters } = either.compile(db);
  return { sql: text, parameters };
}

describe('a statement of sql', () => {
  it("has the text and the parameters of Kysely's", () => {
    expect(statement(sql)).to.deep.equal(statement(ofKysely));
    expect(statement(sql).parameters).to.have.length(8);
  });
});

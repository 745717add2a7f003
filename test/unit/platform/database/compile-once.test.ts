import { expect } from 'chai';
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, DummyDriver } from 'kysely';
import { compileOnce } from '#src/platform/database/compile-once.js';
import type { Database } from '#src/platform/database/db.js';
import { sql } from '#src/platform/database/sql.js';

interface Values {
  project: string;
  hosts: readonly string[];
  limit: { most: number };
  folder: Buffer | null;
  isSorted: boolean;
  after?: string | undefined;
}

describe('a statement that is compiled once for each of its forms', () => {
  const db = new Kysely<Database>({
    dialect: {
      createDriver: () => new DummyDriver(),
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (database) => new PostgresIntrospector(database),
    },
  });
  const values: Values = { project: 'a', hosts: [], limit: { most: 3 }, folder: null, isSorted: true };
  let written = 0;
  const compile = compileOnce(({ project, hosts, limit, folder, isSorted, after }: Values) => {
    written++;
    return sql<{ page: string }>`select page from pages where project = ${project} and folder = ${folder}
      ${hosts.length > 0 ? sql`and host = any (${hosts})` : sql``} ${after === undefined ? sql`` : sql`and page > ${after}`}
      ${isSorted ? sql`order by page` : sql``} limit ${limit.most}`;
  });
  const parametersOf = (ofCall: Values): readonly unknown[] => compile(db, ofCall).parameters;

  it('has the values of each call in their places', () => {
    expect(parametersOf(values)).to.deep.equal(['a', null, 3]);
    const folder = Buffer.from('b');
    expect(parametersOf({ ...values, project: 'b', folder, limit: { most: 9 } })).to.deep.equal(['b', folder, 9]);
    expect(written).to.equal(1);
  });

  it('has another form where a list is empty, a value is undefined, or a choice is another', () => {
    const form = compile(db, values).sql;
    const withHosts = { ...values, hosts: ['c.example'] };
    expect(parametersOf(withHosts)).to.deep.equal(['a', null, ['c.example'], 3]);
    expect(parametersOf({ ...values, after: 'd' })).to.deep.equal(['a', null, 'd', 3]);
    expect(compile(db, { ...values, isSorted: false }).sql).to.not.include('order by');
    const before = written;
    expect(parametersOf({ ...withHosts, hosts: ['e.example', 'f.example'] })[2]).to.have.length(2);
    expect(compile(db, values).sql).to.equal(form);
    expect(written).to.equal(before);
  });

  it('throws where its text would depend on a value', () => {
    const write = compileOnce(({ limit }: { limit: number }) =>
      limit > 3 ? sql`select ${limit}` : sql`select 1 where ${limit} > 0`,
    );
    expect(() => write(db, { limit: 9 })).to.throw('the value limit decides about a statement that is compiled once');
  });
});

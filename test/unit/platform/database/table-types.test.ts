import { expect } from 'chai';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Database } from '#src/platform/database/db.js';

/** It compiles statements and runs none. */
const db = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** `npm run check` fails if one of these mistakes compiles: then its `@ts-expect-error` expects nothing. */
describe('the types of the tables refuse, where the program would send it to the database', () => {
  it('a column that is misspelt', () => {
    // @ts-expect-error -- The column is `title`.
    expect(db.selectFrom('pathmend.pages').select('titel').compile().sql).to.include('"titel"');
  });

  it('a state that no page has', () => {
    // @ts-expect-error -- A page is INDEXED.
    const { parameters } = db.updateTable('pathmend.pages').set({ status: 'READY' }).compile();
    expect(parameters).to.deep.equal(['READY']);
  });

  it('a row that lacks a value, and a number in place of a text', () => {
    // @ts-expect-error -- A held page has a page_id.
    const { sql } = db.insertInto('pathmend.held_pages').values({ project_id: 'p' }).compile();
    expect(sql).not.to.include('page_id');
    // @ts-expect-error -- The id of a page is text.
    expect(db.deleteFrom('pathmend.pages').where('page_id', '=', 7).compile().parameters).to.deep.equal([7]);
  });

  it('JSON that is not written as text: pg would send a list as an array of SQL', () => {
    const refusals = [{ where: 'line 1', reason: 'no url' }];
    // @ts-expect-error -- JSON.stringify(refusals) is the text.
    expect(db.updateTable('pathmend.sync_runs').set({ refusals }).compile().parameters).to.deep.equal([refusals]);
  });
});

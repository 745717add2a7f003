import { expect } from 'chai';
import type pg from 'pg';
import { connect, type Connection } from '#src/platform/database/session/connect.js';
import { compareSchema } from '#src/platform/database/schema/catalogue.js';
import { schemaIsCurrent } from '#src/platform/database/schema/schema-is-current.js';
import { migrate } from '#src/platform/database/schema/migrate.js';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { OperatorError } from '#src/base/errors.js';
import { rejection } from '../../../embedding/rejection.js';
import { createEmptyDatabase, type EmptyDatabase } from '../../../../support/empty-database.js';
import { send } from '../../../../support/service.js';
import { sharedService } from '../../../../support/shared-service.js';
import { query } from '../../../../support/sql.js';

/** Differences that `migrate` finds and makes anew: the statement that makes each, and the object that it names. */
const NOTICED: Record<string, [statement: string, object: string]> = {
  'a function of another text': [
    `create or replace function pathmend.caller_project() returns uuid language sql stable parallel safe as 'select null::uuid'`,
    'function pathmend.caller_project',
  ],
  'a function that anybody may run': [
    'grant execute on function pathmend.drop_old_weeks to public',
    'pathmend.drop_old_weeks',
  ],
  'a function that looks for names elsewhere': [
    'alter function pathmend.near_words set search_path = public',
    'function pathmend.near_words',
  ],
  'a policy that is missing': ['drop policy tenant on pathmend.pages', 'policy tenant on pathmend.pages'],
  'a policy that lets more through': [
    'alter policy tenant on pathmend.projects using (true)',
    'policy tenant on pathmend.projects',
  ],
  'a right that is missing': [
    'revoke select on pathmend.api_keys from pathmend_service',
    'grant select on pathmend.api_keys to pathmend_service',
  ],
  'a right too much': [
    'grant select on pathmend.api_keys to pathmend_analyst',
    'grant select on pathmend.api_keys to pathmend_analyst',
  ],
};

/**
 * Differences that are tested alone, since they show in another way. `needed`: requests would fail without the object,
 * so that the schema does not count as current.
 */
const ALONE: Record<string, [statement: string, needed: boolean]> = {
  'a function that is missing': ['drop function pathmend.pages_in_reach', true],
  'a view that is missing': ['drop view analytics.not_founds_daily', true],
  'a view that says something else': [
    'create or replace view analytics.searches_without_results as select project_id, project, day, kind, understood, searches, example_input, last_searched, searches_all from (select null::uuid as project_id, null::text as project, null::date as day, null::text as kind, null::text as understood, null::bigint as searches, null::text as example_input, null::timestamptz as last_searched, null::bigint as searches_all) as nothing',
    false,
  ],
};

/** The objects that `migrate` can only name when they are missing, by the statements that drop them. */
const NAMED: Record<string, string> = {
  'drop table pathmend.section_redirects': 'table pathmend.section_redirects',
  'alter table pathmend.pages drop column error': 'column pathmend.pages.error',
  'drop index pathmend.pages__path_key': 'index pathmend.pages__path_key',
  'alter table pathmend.learned_redirects drop constraint learned_redirects__page':
    'constraint learned_redirects__page on pathmend.learned_redirects',
};

describe('a database that is of this release by its number, but not whole', () => {
  let database: EmptyDatabase;
  let client: pg.Client;
  let connection: Connection;

  before(async () => {
    database = await createEmptyDatabase();
    client = await database.connect();
    connection = connect({ url: database.url, max: 1, applicationName: 'test', onIdleError: () => undefined });
    await migrate(client, sqlFolder());
    expect(await compareSchema(client, sqlFolder())).to.deep.equal(WHOLE);
  });

  after(async () => {
    await connection.close();
    await database.drop();
  });

  const WHOLE = { missing: [], altered: [], surplus: [] };

  async function expectMended(): Promise<void> {
    const { repeated, warnings } = await migrate(client, sqlFolder());
    expect(repeated).not.to.be.empty;
    expect(warnings).to.deep.equal([]);
    expect(await compareSchema(client, sqlFolder())).to.deep.equal(WHOLE);
    expect(await schemaIsCurrent(connection.db, sqlFolder())).to.be.true;
    expect(await migrate(client, sqlFolder())).to.deep.equal({ applied: [], repeated: [], warnings: [] });
  }

  // Where `migrate` notices one difference, it makes all objects anew: one run for all takes a seventh of the time of
  // one for each.
  it('gets functions, policies and rights that are otherwise back as they should be', async () => {
    let known: string[] = [];
    for (const [what, [statement, object]] of Object.entries(NOTICED)) {
      await client.query(statement);
      const all = Object.values(await compareSchema(client, sqlFolder())).flat();
      expect(all.filter((difference) => !known.includes(difference)).join('; '), what).to.include(object);
      known = all;
    }
    expect(await schemaIsCurrent(connection.db, sqlFolder())).to.be.true;
    await expectMended();
  });

  for (const [what, [statement, needed]] of Object.entries(ALONE)) {
    it(`gets ${what} back as it should be`, async () => {
      await client.query(statement);
      expect(await schemaIsCurrent(connection.db, sqlFolder())).to.equal(!needed);
      await expectMended();
    });
  }

  it('warns of a column of another type, which it leaves as it is', async () => {
    await client.query('alter table pathmend.waiting_links alter column near type timestamp');
    expect((await migrate(client, sqlFolder())).warnings).to.deep.equal([
      'The schema is not as this release makes it: column pathmend.waiting_links.near.',
    ]);
  });

  it('is told of tables, columns, indexes and constraints that are missing, by name, and nothing is changed', async () => {
    for (const statement of [...Object.keys(NAMED), 'drop function pathmend.near_words']) await client.query(statement);
    const error = await rejection(migrate(client, sqlFolder()), OperatorError);
    expect(error.message).to.include('The schema is not whole');
    for (const name of Object.values(NAMED)) expect(error.message).to.include(name);
    expect((await client.query(`select to_regproc('pathmend.near_words') as there`)).rows).to.deep.equal([
      { there: null },
    ]);
    expect(await schemaIsCurrent(connection.db, sqlFolder())).to.be.false;
  });

  it('is not ready to serve', async () => {
    const { service } = sharedService();
    const ready = async (): Promise<unknown> => (await send(service.url, 'GET', '/readyz')).body;
    await query(service, 'alter function pathmend.near_words rename to far_words');
    const without = await ready();
    await query(service, 'alter function pathmend.far_words rename to near_words');
    expect(without).to.deep.equal({
      status: 'unavailable',
      checks: { schema: false, search: true, model: true },
      reasons: { schema: 'the schema is not of this release, or the database takes no writes' },
    });
    expect(await ready()).to.deep.equal({ status: 'ok', checks: { schema: true, search: true, model: true } });
  });
});

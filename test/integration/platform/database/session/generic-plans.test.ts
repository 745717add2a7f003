import { expect } from 'chai';
import { connect, type Connection } from '#src/platform/database/session/connect.js';
import { createTenants, type Tenant } from '#src/platform/database/session/tenants.js';
import { rankForPath } from '#src/search/candidates/rank-for-path.js';
import { rankForQuery } from '#src/search/candidates/rank-for-query.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { createVocabulary } from '#src/search/candidates/site-vocabulary.js';
import { wholeProject } from '../../../../../scripts/whole-project.js';
import { rejection } from '../../../embedding/rejection.js';
import { onServer } from '../../../../support/database.js';
import type { TestProject } from '../../../../support/service.js';
import { sharedService } from '../../../../support/shared-service.js';

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'CTE Name'?: string;
  'Parent Relationship'?: string;
  Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

describe('a generic plan', () => {
  let project: TestProject;
  let connection: Connection;
  let tenant: Tenant;

  before(async function () {
    // The embedded database's connections share one session, in which each would name its statements anew.
    if (!onServer()) this.skip();
    project = await sharedService().newProject();
    await project.upsert({ url: 'https://shop.example/pens/blue', content: 'A blue fountain pen with a steel nib.' });
    await project.indexed();
    // Past a pooler, whose sessions are nobody's: test/integration/platform/database/session/pooler.test.ts.
    const { database, service } = sharedService();
    connection = connect({
      url: database.environment['DATABASE_DIRECT_URL'] ?? service.database.url,
      max: 1,
      applicationName: 'test',
      onIdleError: () => undefined,
      ownSessions: true,
    });
    // The start of a service finds this out where PgBouncer is in session mode.
    connection.pool.keepsSessions = true;
    tenant = createTenants(connection.pool, true).of(project.row.project_id);
  });

  after(() => (connection as Connection | undefined)?.close());

  async function search(of: Tenant, hasOwnIndexes = false): Promise<string[]> {
    const { deps, models } = sharedService().service;
    const { modelId } = await models.named('static');
    const space = { ...wholeProject(of, modelId), ...(hasOwnIndexes && { covered: '0' }) };
    const calibration = await deps.calibrationOf(modelId);
    // A vocabulary that remembers nothing asks the database.
    const searchDeps = { ...deps, vocabulary: createVocabulary() };
    const byQuestion = await rankForQuery(searchDeps, calibration.query, space, 'A fountain pen with a nib', 3);
    const byPath = await rankForPath(searchDeps, calibration.suggest, space, readDeadPath('/old/pens-blue.html'), 3);
    return [...byQuestion.ranked, ...byPath.ranked].map(({ page }) => page.path);
  }

  interface Kept {
    statement: string;
    any: number;
    custom: number;
  }

  const kept = async (): Promise<Kept[]> =>
    (
      await connection.pool.query<Kept>(
        'select statement, generic_plans::int as any, custom_plans::int as custom from pg_prepared_statements where not from_sql order by statement',
      )
    ).rows;

  const settings = async (): Promise<unknown> =>
    (
      await connection.pool.query(
        "select current_setting('plan_cache_mode') as mode, current_setting('enable_seqscan') as scan",
      )
    ).rows[0];

  it('is made once for a search with whatever values, and finds what others find', async () => {
    for (let turn = 0; turn < 3; turn++) expect(await search(tenant)).to.deep.equal(['/pens/blue', '/pens/blue']);
    // The statements are those of a question and of its words, of a dead path and of its spelling.
    expect((await kept()).map(({ any, custom }) => [any, custom])).to.deep.equal([
      [3, 0],
      [3, 0],
      [3, 0],
      [3, 0],
    ]);
  });

  it('is made for nothing else, inside transactions and after them', async () => {
    const usual = await settings();
    await search(tenant);
    expect(await settings()).to.deep.equal(usual);
    await search(tenant);
    const end = await rejection(
      tenant.db.transaction().execute(async (trx) => {
        await search({ ...tenant, db: trx });
        throw new Error('rolled back');
      }),
      Error,
    );
    expect(end.message).to.equal('rolled back');
    expect(await settings()).to.deep.equal(usual);
  });

  it('serves another tenant with the same plans, and the service itself', async () => {
    const other = await sharedService().newProject();
    await search(tenant);
    const before = await kept();
    expect(await search(createTenants(connection.pool, true).of(other.row.project_id))).to.deep.equal([]);
    expect(await search({ projectId: other.row.project_id, db: connection.db })).to.deep.equal([]);
    expect(await search(tenant)).to.deep.equal(['/pens/blue', '/pens/blue']);
    const after = await kept();
    expect(after.map(({ statement }) => statement)).to.deep.equal(before.map(({ statement }) => statement));
    expect(after.every(({ custom }) => custom === 0)).to.equal(true);
  });

  it('reaches each page by an index, and compares no two lists row by row, whatever size it expects of a project', async () => {
    await search(tenant);
    await search(tenant, true);
    const statements = await kept();
    // The statements: words, spelling, questions and dead paths, the last two with and without the project's own
    // indexes.
    expect(statements).to.have.length(6);
    await connection.pool.query('set enable_seqscan = off');
    for (const { statement } of statements) {
      const { rows } = await connection.pool.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `explain (generic_plan, format json) ${statement}`,
      );
      const nodes = nodesOf(rows[0]?.['QUERY PLAN'][0]?.Plan as Plan);
      expect(
        nodes.filter((node) => node['Node Type'] === 'Seq Scan'),
        statement,
      ).to.deep.equal([]);
      for (const loop of nodes.filter((node) => node['Node Type'] === 'Nested Loop')) {
        const inner = loop.Plans?.find((node) => node['Parent Relationship'] === 'Inner') as Plan;
        // `moved` is allowed: it has at most two or three rows, which are known for one dead path.
        const lists = nodesOf(inner)
          .flatMap((node) => node['CTE Name'] ?? [])
          .filter((name) => name !== 'moved');
        expect(lists, statement).to.deep.equal([]);
      }
    }
    await connection.pool.query('reset enable_seqscan');
  });
});

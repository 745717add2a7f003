import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type pg from 'pg';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { linkedSearches, loggedSearches, storedClicks, storedNotFounds } from '../../support/stored-events.js';

const ADDRESS = '198.51.100.77';
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0 of-one-person';

describe('a login that sees one project', function () {
  this.timeout(60_000);
  let test: TestService;
  let ownProject: TestProject;
  let other: TestProject;
  const login = `analyst_${randomUUID().slice(0, 8)}`;

  before(async () => {
    test = await startTestService({ EVENT_IP_MODE: 'full' });
    [ownProject, other] = [await test.newProject(), await test.newProject()];
    for (const project of [ownProject, other]) {
      await project.upsert({ url: 'https://shop.example/help/returns', content: 'How to return a parcel.' });
      await project.indexed();
      const { body } = await project.post('/v1/suggest', { path: '/qqqq-zzzz' });
      await project.post('/v1/suggest', { path: '/help/return', options: { searchThreshold: 0.1 } });
      await project.post('/v1/events', {
        raw_path: `/missing-of/${project.row.project_id}`,
        search_id: body.search_id as string,
        origin: 'https://shop.example',
        referrer: `https://shop.example/page-of/${project.row.project_id}`,
        user_agent: AGENT,
        user_ip: ADDRESS,
      });
      const click = {
        clicked_url: '/help/returns',
        clicked_rank: 1,
        raw_path: `/clicked-of/${project.row.project_id}`,
      };
      await project.post('/v1/events', { ...click, search_id: body.search_id as string });
      await storedClicks(test.service, project.row.project_id, 1);
      await loggedSearches(test.service, project.row.project_id, 2);
      await storedNotFounds(test.service, project.row.project_id, 1);
    }
    await linkedSearches(test.service);
    await query(test.service, `create role ${login} login`);
    await query(test.service, `grant pathmend_project_analyst to ${login}`);
    await ownProject.query('insert into pathmend.analyst_projects (project_id, login) values ($1, $2)', login);
  });

  after(async () => {
    await query(test.service, `drop role ${login}`);
    await test.stop();
  });

  /** Works as the login in a transaction that is rolled back. */
  async function asLogin<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await test.service.database.connection.pool.connect();
    try {
      await client.query('begin');
      await client.query(`set local role ${login}`);
      return await work(client);
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  async function views(): Promise<string[]> {
    const rows = await query<{ name: string }>(
      test.service,
      `select viewname as name from pg_views where schemaname = 'analytics' order by 1`,
    );
    return rows.map(({ name }) => name);
  }

  it('sees its project in the views, and nothing of another in any', async () => {
    const names = await views();
    const seen = await asLogin(async (client) => {
      const rowsByView = new Map<string, string>();
      for (const name of names)
        rowsByView.set(name, JSON.stringify((await client.query(`select * from analytics.${name}`)).rows));
      return rowsByView;
    });
    const sums = ['missing_paths', 'recovery_daily', 'referrers', 'index_health', 'plan_usage', 'latency_daily'];
    for (const name of [...sums, 'not_founds', 'searches', 'clicks', 'pages', 'page_vectors'])
      expect(seen.get(name), name).to.include(ownProject.row.project_id);
    for (const [name, text] of seen) {
      expect(text, name).not.to.include(other.row.project_id);
      expect(text, name).not.to.include(other.row.name);
    }
  });

  it('reads no address, no user agent and no key, as little as an analyst of all projects', async () => {
    const names = await views();
    for (const role of [login, 'pathmend_analyst']) {
      const client = await test.service.database.connection.pool.connect();
      try {
        await client.query('begin');
        await client.query(`set local role ${role}`);
        for (const name of names) {
          const text = JSON.stringify((await client.query(`select * from analytics.${name}`)).rows);
          for (const secret of [ADDRESS, AGENT, ownProject.key, ownProject.key.slice(-4)])
            expect(text, name).not.to.include(secret);
        }
      } finally {
        await client.query('rollback');
        client.release();
      }
    }
  });

  it('learns nothing of others from a function that fails on a row, nor by becoming another role', async () => {
    const tried = await asLogin(async (client) => {
      const messages: string[] = [];
      for (const statement of [
        // Each path that it could see would be in the message.
        `select * from analytics.missing_paths where path::integer > 0`,
        `select * from analytics.not_founds_daily where path::integer > 0`,
        `select * from analytics.accessible_projects where project::integer > 0`,
        `select * from analytics.referrers where (referrer || project)::integer > 0`,
        'set role pathmend_analyst',
        'set role pathmend_service',
        'set session authorization postgres',
        'select * from pathmend.analyst_projects',
        'select * from pathmend.missing_paths',
      ]) {
        await client.query('savepoint before');
        messages.push(
          await client.query(statement).then(
            ({ rows }) => JSON.stringify(rows),
            (error: unknown) => String(error),
          ),
        );
        await client.query('rollback to savepoint before');
      }
      return messages;
    });
    for (const message of tried) {
      expect(message).not.to.include(other.row.project_id);
      expect(message).not.to.include(other.row.name);
    }
    expect(tried.slice(-2).every((message) => message.includes('permission denied'))).to.be.true;
  });

  it('learns nothing of others from a cheap function of its own, nor from what the planner remembers', async () => {
    const seen = await asLogin(async (client) => {
      const notices: string[] = [];
      const note = ({ message }: { message?: string | undefined }): void => void notices.push(message ?? '');
      client.on('notice', note);
      await client.query(`create function pg_temp.peek(text) returns boolean language plpgsql cost 0.0000001 as
        $$ begin raise notice 'saw %', $1; return true; end $$`);
      for (const [view, column] of [
        ['missing_paths', 'path'],
        ['recovery_by_path_all', 'path'],
        ['referrers', 'referrer'],
        ['searches_without_results', 'example_input'],
        ['content_gaps', 'examples[1]'],
        ['redirect_effects', 'path'],
        ['accessible_projects', 'project'],
        ['not_founds', 'path'],
        ['searches', 'project'],
        ['clicks', 'path'],
        ['pages', 'project'],
        ['page_vectors', 'project'],
      ])
        await client.query(`select * from analytics.${view} where pg_temp.peek(${column})`);
      client.off('notice', note);
      const { rows: remembered } = await client.query(
        `select from pg_stats where schemaname = 'pathmend' union all select from pg_stats_ext where schemaname = 'pathmend'`,
      );
      const { rows: plan } = await client.query(`explain (format json) select * from analytics.missing_paths`);
      return { notices: notices.join('\n'), remembered, plan: JSON.stringify(plan) };
    });
    expect(seen.notices).to.include(`saw /missing-of/${ownProject.row.project_id}`);
    for (const secret of [other.row.project_id, other.row.name]) {
      expect(seen.notices).not.to.include(secret);
      expect(seen.plan).not.to.include(secret);
    }
    expect(seen.remembered).to.deep.equal([]);
  });

  it('sees both of its projects when it is given two, and no third', async () => {
    const third = await test.newProject();
    await other.query('insert into pathmend.analyst_projects (project_id, login) values ($1, $2)', login);
    const seen = await asLogin(async (client) => {
      const { rows } = await client.query<{ project_id: string }>(
        'select project_id from analytics.accessible_projects',
      );
      return rows.map(({ project_id }) => project_id).sort();
    });
    expect(seen).to.deep.equal([ownProject.row.project_id, other.row.project_id].sort());
    expect(seen).not.to.include(third.row.project_id);
    await query(test.service, 'delete from pathmend.analyst_projects where login = $1 and project_id = $2', [
      login,
      other.row.project_id,
    ]);
  });

  it('sees nothing of a project that was taken from it, and all with the role of all projects', async () => {
    const projects = (client: pg.PoolClient): Promise<number | null> =>
      client.query('select from analytics.accessible_projects').then(({ rowCount }) => rowCount);
    expect(await asLogin(projects)).to.equal(1);
    await query(test.service, `grant pathmend_analyst to ${login}`);
    expect(await asLogin(projects)).to.be.at.least(2);
    await query(test.service, `revoke pathmend_analyst from ${login}`);
    await query(test.service, 'delete from pathmend.analyst_projects where login = $1', [login]);
    expect(await asLogin(projects)).to.equal(0);
  });
});

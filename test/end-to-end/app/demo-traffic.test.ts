import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { packageRoot } from '#src/base/package-root.js';
import { recordTraffic } from '#src/app/demo/record-traffic.js';
import { afterMarch, END, eventsStored, recordMarch } from '../../support/demo-month.js';
import { startTestService, type TestService } from '../../support/service.js';
import { query } from '../../support/sql.js';

interface Dashboard {
  panels: { title: string; targets: { rawSql: string }[] }[];
  templating: { list: { query: string }[] };
}

async function dashboard(): Promise<Dashboard> {
  const file = join(packageRoot(), 'deploy', 'grafana', 'dashboards', 'pathmend.json');
  return JSON.parse(await readFile(file, 'utf8')) as Dashboard;
}

const NEVER = new AbortController().signal;

describe("the demo's month of generated traffic", function () {
  this.timeout(180_000);
  let test: TestService;
  let projectId: string;

  before(async () => {
    test = await startTestService({}, { clock: afterMarch() });
    projectId = await recordMarch(test.service);
  });

  after(() => test.stop());

  async function asAnalyst<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await test.service.database.connection.pool.connect();
    try {
      await client.query('begin; set local role pathmend_analyst');
      return await work(client);
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  const count = async (table: string): Promise<number> =>
    (await query(test.service, `select from pathmend.${table} where project_id = $1`, [projectId])).length;

  it("every panel of Grafana's dashboard says something, asked as an analyst", async () => {
    const { panels, templating } = await dashboard();
    await asAnalyst(async (client) => {
      const [variable] = templating.list;
      expect((await client.query(variable?.query ?? '')).rows).to.deep.equal([{ project: 'demo' }]);
      for (const { title, targets } of panels)
        for (const { rawSql } of targets) {
          const sql = rawSql
            .replaceAll('${project:sqlstring}', `'demo'`)
            .replaceAll('$__timeFrom()', `'2026-03-01T00:00:00Z'`)
            .replaceAll('$__timeTo()', `'2026-03-31T23:59:59Z'`);
          expect(sql, title).not.to.include('$');
          const { rows } = await client.query<Record<string, unknown>>(sql);
          expect(rows, title).not.to.be.empty;
          if (rawSql.includes(' as time')) expect(rows[0]?.['time'], title).to.be.instanceOf(Date);
        }
    });
  });

  it('says of every 404 and click that it is generated, and of no other project anything', async () => {
    for (const table of ['not_founds', 'clicks']) {
      const rows = await query(
        test.service,
        `select distinct project_id, origin, left(event_id::text, 15) as id from pathmend.${table}`,
      );
      expect(rows, table).to.deep.equal([
        { project_id: projectId, origin: 'https://generated.kettleandpine.example', id: '67656e65-7261-8' },
      ]);
    }
    const searches = await query(
      test.service,
      `select distinct left(search_id::text, 15) as id from pathmend.searches`,
    );
    expect(searches).to.deep.equal([{ id: '67656e65-7261-8' }]);
  });

  it('is of the thirty days before its end', async () => {
    const rows = await query<{ first: string; last: string; days: number }>(
      test.service,
      `select min(day)::text as first, max(day)::text as last, count(distinct day)::int as days from analytics.recovery_daily`,
    );
    expect(rows).to.deep.equal([{ first: '2026-03-02', last: '2026-03-31', days: 30 }]);
  });

  it('is recorded once: a start goes on where one was interrupted, and stores nothing twice', async () => {
    const before = [await count('searches'), await count('not_founds')];
    const latest = `project_id = '${projectId}' and search_id > '67656e65-7261-8100-8000-000000000f00'`;
    await query(test.service, `delete from pathmend.searches where ${latest}`);
    expect(
      await recordTraffic(test.service, { projectId, end: END, retentionDays: 400, signal: NEVER }),
    ).to.be.greaterThan(0);
    await eventsStored(test.service);
    expect([await count('searches'), await count('not_founds')]).to.deep.equal(before);
  });

  it('is written into no project with pages of another site', async () => {
    const other = await test.newProject();
    await other.upsert({ url: 'https://www.example.com/a', content: 'Another site.' });
    const options = { projectId: other.row.project_id, end: END, retentionDays: 400, signal: NEVER };
    expect(await recordTraffic(test.service, options)).to.equal(0);
    expect(await other.query('select from pathmend.searches where project_id = $1')).to.be.empty;
  });
});

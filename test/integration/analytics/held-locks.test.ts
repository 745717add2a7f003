import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { migrate } from '#src/platform/database/schema/migrate.js';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { updateOwnIndexes } from '#src/pages/large-projects/build-segments-job.js';
import { onServer } from '../../support/database.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { kept, connectTo, query } from '../../support/sql.js';
import { until } from '../../support/until.js';

describe('an analyst who holds locks and leaves a transaction open (on a server only: the embedded database has one session)', function () {
  this.timeout(60_000);
  const analyst = `ann_${randomUUID().slice(0, 8)}`;
  let running: TestService;
  let project: TestProject;
  let holder: pg.Client;

  before(async function () {
    if (!onServer()) this.skip();
    running = await startTestService();
    project = await running.newProject();
    await project.upsert({ url: 'https://held.example/kettles', content: 'Kettles, large and small.' });
    await project.indexed();
    await query(running.service, `create role ${analyst} login; grant pathmend_analyst to ${analyst}`);
    const url = new URL(running.database.environment['DATABASE_URL'] ?? '');
    url.username = analyst;
    holder = new pg.Client({ connectionString: url.href });
    await holder.connect();
    const {
      row: { project_id: id },
    } = project;
    for (const name of ['migrate', 'ensure_weeks', 'share_queue', `moves ${id}`, `index_segments ${id}`]) {
      await holder.query(`select pg_advisory_lock(hashtextextended('pathmend.${name}', 0))`);
    }
    await holder.query('begin');
    for (const view of ['not_founds_daily', 'click_through_daily', 'searches_without_results'])
      await holder.query(`select * from analytics.${view}`);
  });

  after(async () => {
    if (!onServer()) return;
    await holder.end();
    await query(running.service, `drop owned by ${analyst}; drop role ${analyst}`);
    await running.stop();
  });

  it('keeps no search, click or 404 from being stored, and none from being learned from', async () => {
    const stored = (table: string): Promise<void> =>
      until(
        `${table} has a row`,
        async () =>
          (
            await query(running.service, `select from pathmend.${table} where project_id = $1`, [
              project.row.project_id,
            ])
          ).length === 1,
      );
    const suggested = await project.post('/v1/suggest', { path: '/ketles', options: { searchThreshold: 0 } });
    await stored('searches');
    expect(
      (
        await project.post('/v1/events', {
          raw_path: '/ketles',
          search_id: suggested.body.search_id,
          clicked_url: '/kettles',
          clicked_rank: 1,
        })
      ).status,
    ).to.equal(204);
    expect((await project.post('/v1/events', { raw_path: '/gone' })).status).to.equal(204);
    for (const table of ['clicks', 'not_founds', 'learned_redirects']) await stored(table);
  });

  it('keeps no week from being made, and what it reads from being dropped, for a moment only', async () => {
    const weeks = async (): Promise<number> =>
      (await query(running.service, `select from pg_inherits where inhparent = 'pathmend.not_founds'::regclass`))
        .length;
    const before = await weeks();
    await query(running.service, `select pathmend.ensure_weeks(now() + '1 year', now() + '1 year')`);
    expect(await weeks()).to.equal(before + 1);
    // The views of clicks and searches read sums: only weeks of 404s are being read.
    const dropped = await query<{ name: string }>(
      running.service,
      `select * from pathmend.drop_old_weeks(now() + '2 years') as name`,
    );
    expect(dropped.filter(({ name }) => name.startsWith('not_founds'))).to.deep.equal([]);
    expect(await weeks()).to.equal(before + 1);
  });

  it('keeps nobody from migrating, starting, or building indexes', async () => {
    const client = await connectTo(running.database);
    expect(await migrate(client, sqlFolder())).to.deep.equal({ applied: [], repeated: [], warnings: [] });
    await client.end();
    const second = await startTestService({}, { database: kept(running.database), role: 'api' });
    await second.stop();
    const { deps } = running.service;
    await updateOwnIndexes(
      { ...deps, dbWithSession: running.service.database.direct.db, ownIndexChunks: 1 },
      project.row.project_id,
      { quietSeconds: 0 },
    );
    expect(await query(running.service, 'select from pathmend.index_segments')).to.have.length(1);
  });
});

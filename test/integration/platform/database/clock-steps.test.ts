import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { beginLogin } from '#src/accounts/store/users.js';
import { findStalledPages } from '#src/pages/store/page-status.js';
import { drawBackQueue } from '#src/platform/queue/follow-clock.js';
import { leasedElsewhere } from '#src/projects/store/rate-buckets.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';
import { query } from '../../../support/sql.js';
import { until } from '../../../support/until.js';

/** A clock that is set back an hour leaves what it has stored an hour in the future; one set forward, in the past. */
const STEPS = { back: '1 hour', forward: '-1 hour' };
const run = (text: string, values: unknown[] = []) => query(sharedService().service, text, values);

async function stepClock(project: TestProject, step: string): Promise<void> {
  await run(
    `update pathmend.rate_buckets set updated_at = updated_at + $2::interval, others_until = others_until + $2::interval
      where project_id = $1`,
    [project.row.project_id, step],
  );
}

describe("when the database's clock is set back or forward by an hour", function () {
  this.timeout(60_000);

  for (const [way, step] of Object.entries(STEPS)) {
    it(`${way}: a rate goes on refilling, and never above its burst`, async () => {
      const rates = { read_rate: 20, read_burst: 5, write_rate: 20, write_burst: 5 };
      const project = await sharedService().newProject({ rates });
      const read = async (): Promise<number> => (await project.call('GET', '/v1/pages')).status;
      while ((await read()) !== 429);
      await stepClock(project, step);
      const from = performance.now();
      let served = 0;
      while (performance.now() < from + 1_000) if ((await read()) === 200) served += 1;
      expect(served).to.be.within(5, 5 + 20 * 1.5);
    });

    it(`${way}: a DELETE and an upsert are answered at once, also beside another process`, async () => {
      const project = await sharedService().newProject();
      const page = { url: 'https://shop.example/a', content: 'A page.' };
      // A bucket that this process holds, and one that another held before the step.
      for (const isOthers of [false, true]) {
        await project.call('GET', '/v1/pages');
        await run(
          `update pathmend.rate_buckets set others_until = updated_at, leased_to = case when $2 then gen_random_uuid()
                  else leased_to end where project_id = $1`,
          [project.row.project_id, isOthers],
        );
        await stepClock(project, step);
        const wait = await leasedElsewhere(sharedService().service.db, project.row.project_id, randomUUID());
        expect(wait).to.be.within(0, 30);
        const from = performance.now();
        expect((await project.post('/v1/pages/upsert', page)).status).to.equal(202);
        expect((await project.call('DELETE', '/v1/pages/delete', { url: page.url })).status).to.equal(200);
        expect(performance.now() - from).to.be.below(5_000);
      }
    });
  }

  it('back: the queue does what waits, keeps its schedule and looks for the jobs of dead workers', async () => {
    const { service } = sharedService();
    const id = randomUUID();
    await run(
      `insert into pgboss.job_common (id, name, singleton_key, policy, state, start_after, created_on, singleton_on, data)
       select $1, name, $1::uuid::text, policy, 'created', now() + interval '1 hour 30 seconds', now() + interval '1 hour',
              (now() + interval '1 hour') at time zone 'UTC', '{}'
         from pgboss.queue where name = 'maintenance'`,
      [id],
    );
    await run(`update pgboss.version set cron_on = now() + interval '1 hour'`);
    await run(`update pgboss.queue set monitor_claim_on = now() + interval '1 hour'`);
    // The service that runs here may have been first.
    await drawBackQueue(service.db);
    const [job] = await run(
      `select extract(epoch from start_after - now())::float8 as due, created_on <= now() as begun, singleton_on
         from pgboss.job_common where id = $1`,
      [id],
    );
    if (job) {
      expect(job['due']).to.be.within(-5, 31);
      expect([job['begun'], job['singleton_on']]).to.deep.equal([true, null]);
    }
    const [behind] = await run(
      `select (select count(*)::int from pgboss.queue where monitor_claim_on > now() + interval '1 second')
              + (select count(*)::int from pgboss.version where cron_on > now() + interval '1 second') as ahead`,
    );
    expect(behind?.['ahead']).to.equal(0);
    expect(await drawBackQueue(service.db)).to.equal(0);
    await run('delete from pgboss.job_common where id = $1', [id]);
  });

  it('back: a page whose job was lost is found, and nobody waits for a login longer than the longest time', async () => {
    const { service } = sharedService();
    const project = await sharedService().newProject();
    await project.post('/v1/pages/upsert', { url: 'https://shop.example/lost', content: 'A page.' });
    await until(
      'the page is indexed',
      async () =>
        (await run(`select from pathmend.pages where project_id = $1 and status = 'INDEXED'`, [project.row.project_id]))
          .length === 1,
    );
    await run(
      `update pathmend.pages set status = 'PROCESSING', status_at = now() + interval '1 hour' where project_id = $1`,
      [project.row.project_id],
    );
    const stalled = await findStalledPages(service.db, 3_600, 10_000);
    expect(stalled.map(({ projectId }) => projectId)).to.include(project.row.project_id);

    const email = `${randomUUID()}@example.com`;
    await run(`insert into pathmend.users (email, locked_until) values ($1, now() + interval '10 minutes')`, [email]);
    expect(await beginLogin(service.db, email), 'locked').to.equal(undefined);
    await run(`update pathmend.users set locked_until = now() + interval '65 minutes' where email = $1`, [email]);
    expect((await beginLogin(service.db, email))?.email).to.equal(email);
  });
});

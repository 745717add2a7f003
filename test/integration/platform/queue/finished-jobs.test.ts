import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { runMaintenance } from '#src/operations/maintenance-job.js';
import { recordEvent } from '#src/events/record-events-job.js';
import { JOBS } from '#src/app/jobs.js';
import { sharedService } from '../../../support/shared-service.js';
import { query } from '../../../support/sql.js';
import { until } from '../../../support/until.js';

const count = async (text: string, values: unknown[]): Promise<number> =>
  (await query(sharedService().service, text, values)).length;

describe('what is done with', () => {
  it('every kind of job goes within an hour of its end', () => {
    for (const { name, options } of JOBS) expect(options.deleteAfterSeconds, name).to.be.within(1, 3_600);
  });

  it('a finished job is deleted when its time is over, and one that just finished is not', async () => {
    const { service } = sharedService();
    const project = await sharedService().newProject();
    const jobs = `select id from pgboss.job where name = 'record-events' and data #>> '{events,0,projectId}' = $1 and state = 'completed'`;
    for (const path of ['/old', '/new']) await project.post('/v1/events', { raw_path: path });
    await until('both events are recorded', async () => (await count(jobs, [project.row.project_id])) === 2);
    await query(
      service,
      `update pgboss.job set completed_on = completed_on - interval '62 seconds' where data #>> '{events,0,event,rawPath}' = '/old' and data #>> '{events,0,projectId}' = $1`,
      [project.row.project_id],
    );
    await until('the old one is deleted', async () => {
      await query(
        service,
        `update pgboss.queue set maintain_on = now() - interval '1 hour' where name = 'record-events'`,
      );
      await service.queue.boss.supervise('record-events');
      return (await count(jobs, [project.row.project_id])) === 1;
    });
    expect(await count(`${jobs} and data #>> '{events,0,event,rawPath}' = '/new'`, [project.row.project_id])).to.equal(
      1,
    );
  });

  it('an event that waits is kept for a year, should nothing work for so long', async () => {
    const { service } = sharedService();
    const { row } = await sharedService().newProject();
    const event = {
      type: 'not-found' as const,
      rawPath: '/waits',
      origin: null,
      referrer: null,
      userAgent: null,
      visitorIp: null,
    };
    await service.queue.enqueueNow(recordEvent, [
      { eventId: randomUUID(), projectId: row.project_id, isTest: false, receivedAt: new Date().toISOString(), event },
    ]);
    expect(
      await count(`select from pgboss.job where data->>'projectId' = $1 and keep_until > now() + interval '364 days'`, [
        row.project_id,
      ]),
    ).to.equal(1);
  });

  it('a bucket that nobody used for a day goes, and one in use stays', async () => {
    const { service } = sharedService();
    const [idle, used] = [await sharedService().newProject(), await sharedService().newProject()];
    for (const project of [idle, used]) await project.post('/v1/suggest', { path: '/x' });
    await query(
      service,
      `update pathmend.rate_buckets set updated_at = now() - interval '25 hours' where project_id = $1`,
      [idle.row.project_id],
    );
    await runMaintenance({ ...service.deps, db: service.db, eventRetentionDays: 400, embedded: false });
    const buckets = (id: string): Promise<number> =>
      count('select from pathmend.rate_buckets where project_id = $1', [id]);
    expect(await buckets(idle.row.project_id)).to.equal(0);
    expect(await buckets(used.row.project_id)).to.be.above(0);
  });
});

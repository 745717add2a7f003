import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { eraseProjectEvents } from '#src/events/store/history.js';
import { recordEvent, recordEvents } from '#src/events/record-events-job.js';
import type { RecordEventPayload } from '#src/events/store-events.js';
import { packageRoot } from '#src/base/package-root.js';
import { shellBlocks, typeBlock } from '../../support/document.js';
import { metricAt } from '../../support/metric.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { retryNow } from '../../support/retry-now.js';
import { query } from '../../support/sql.js';
import { storedNotFounds } from '../../support/stored-events.js';
import { until } from '../../support/until.js';

describe('an event that the database refuses', function () {
  this.timeout(120_000);
  let test: TestService;
  let project: TestProject;
  let neighbour: TestProject;
  let logText = '';

  before(async () => {
    const log = new PassThrough().on('data', (text: Buffer) => {
      logText += text.toString();
    });
    test = await startTestService({ LOG_LEVEL: 'warn' }, { log });
    await query(
      test.service,
      `alter table pathmend.not_founds add constraint no_poison check (raw_path not like '/poison%')`,
    );
    await query(
      test.service,
      `create function public.no_thistle() returns trigger language plpgsql as $$ begin raise exception 'thistle'; end $$`,
    );
    await query(
      test.service,
      `create trigger no_thistle before insert on pathmend.not_founds for each row when (new.raw_path = '/thistle') execute function public.no_thistle()`,
    );
  });

  after(() => test.stop());

  beforeEach(async () => {
    [project, neighbour] = [await test.newProject(), await test.newProject()];
    logText = '';
  });

  const notFound = (of: TestProject, rawPath: string): RecordEventPayload => ({
    eventId: randomUUID(),
    projectId: of.row.project_id,
    isTest: false,
    receivedAt: new Date().toISOString(),
    event: { type: 'not-found', rawPath, origin: null, referrer: null, userAgent: null, visitorIp: null },
  });

  /** One statement queues them all, so that they are one batch. */
  async function queue(events: RecordEventPayload[]): Promise<void> {
    await test.service.queue.enqueueNow(recordEvent, events);
    test.service.queue.wake(recordEvent);
  }

  async function refused(of: TestProject): Promise<{ reason: string; event: RecordEventPayload }[]> {
    return of.query('select reason, event from pathmend.refused_events where project_id = $1');
  }

  async function retries(events: RecordEventPayload[]): Promise<number> {
    const rows = await query(test.service, 'select from pgboss.job where id = any ($1) and retry_count > 0', [
      events.map(({ eventId }) => eventId),
    ]);
    return rows.length;
  }

  /** Waits until all events are stored, and makes their retries due at once. */
  const storedAfterAll = (of: TestProject, count: number): Promise<void> =>
    until(`${count} are stored after all`, async () => {
      await retryNow(test.service, recordEvent);
      const rows = await of.query('select from pathmend.not_founds where project_id = $1');
      return rows.length === count;
    });

  const refusals = (): Promise<number> => metricAt(test.service.url, 'pathmend_events_refused_total');

  it('is set aside alone, with its reason; all others of its batch, of its project and of others, are stored at once', async () => {
    const before = await refusals();
    const poison = [notFound(project, '/poison/1'), notFound(project, '/poison/2')];
    const good = Array.from({ length: 198 }, (_, i) => notFound(i % 2 ? project : neighbour, `/gone/${i}`));
    await queue([
      ...good.slice(0, 70),
      poison[0] as RecordEventPayload,
      ...good.slice(70, 150),
      poison[1] as RecordEventPayload,
      ...good.slice(150),
    ]);
    await storedNotFounds(test.service, neighbour.row.project_id, 99);
    await storedNotFounds(test.service, project.row.project_id, 99);
    await until('both are set aside', async () => (await refused(project)).length === 2);
    expect(await retries([...good, ...poison])).to.equal(0);
    const rows = await refused(project);
    expect(rows.map(({ event }) => event.event.rawPath)).to.have.members(['/poison/1', '/poison/2']);
    for (const { reason } of rows) expect(reason).to.match(/^a constraint refuses it: .*no_poison.*SQLSTATE 23514/);
    expect(await refused(neighbour)).to.deep.equal([]);
    expect((await refusals()) - before).to.equal(2);
  });

  it('is set aside alone where it shared a job with others, too', async () => {
    const events = Array.from({ length: 20 }, (_, i) => notFound(i % 2 ? project : neighbour, `/shared/${i}`));
    await test.service.queue.enqueueNow(recordEvents, [
      { events: [...events, notFound(project, '/poison/shared')] },
      { events: [notFound(neighbour, '/shared/beside')] },
    ]);
    test.service.queue.wake(recordEvents);
    await storedNotFounds(test.service, neighbour.row.project_id, 11);
    await storedNotFounds(test.service, project.row.project_id, 10);
    await until('it is set aside', async () => (await refused(project)).length === 1);
    expect((await refused(project)).map(({ event }) => event.event.rawPath)).to.deep.equal(['/poison/shared']);
    expect(await refused(neighbour)).to.deep.equal([]);
  });

  it('is logged at warn with its project and the reason, and nothing of its content', async () => {
    const event = notFound(project, '/poison/secret-path');
    await queue([event]);
    await until('it is said', () => logText.includes('was set aside'));
    const line = JSON.parse(logText.split('\n').find((logLine) => logLine.includes('was set aside')) ?? '{}') as Record<
      string,
      unknown
    >;
    expect(line).to.deep.include({
      level: 'warn',
      project_id: project.row.project_id,
      event_id: event.eventId,
      reason: 'a constraint refuses it',
      sqlstate: '23514',
    });
    expect(logText).not.to.contain('secret-path');
  });

  it('is tried again first where the reason is not its content, and holds nobody up meanwhile', async () => {
    const [thistle, ...good] = [
      notFound(project, '/thistle'),
      ...Array.from({ length: 20 }, (_, i) => notFound(neighbour, `/gone/${i}`)),
    ] as [RecordEventPayload, ...RecordEventPayload[]];
    await queue([thistle, ...good]);
    await storedNotFounds(test.service, neighbour.row.project_id, 20);
    expect(await retries(good)).to.equal(0);
    expect(await refused(project)).to.deep.equal([]);
    await until('it is said that it is tried again', () => logText.includes('is tried again'));
    await query(test.service, 'drop trigger no_thistle on pathmend.not_founds');
    await storedAfterAll(project, 1);
    expect(await refused(project)).to.deep.equal([]);
  });

  it('is not refused, and keeps only its project waiting, while the worker of Citus with that is away', async () => {
    // The trigger raises the error that Citus raises on the coordinator.
    await query(
      test.service,
      `create function public.away() returns trigger language plpgsql as $$
         begin raise exception 'connection to the remote node failed' using errcode = 'connection_failure'; end $$`,
    );
    await query(
      test.service,
      `create trigger away before insert on pathmend.not_founds for each row
         when (new.project_id = '${project.row.project_id}') execute function public.away()`,
    );
    const [theirs, more] = [notFound(project, '/away/1'), notFound(project, '/away/2')];
    await queue([theirs, ...Array.from({ length: 5 }, (_, i) => notFound(neighbour, `/here/${i}`))]);
    await test.service.queue.enqueueNow(recordEvents, [{ events: [more, notFound(neighbour, '/here/5')] }]);
    test.service.queue.wake(recordEvents);
    await storedNotFounds(test.service, neighbour.row.project_id, 6);
    await until('both were tried again', async () => {
      await retryNow(test.service, recordEvent);
      return (await retries([theirs, more])) === 2;
    });
    await query(test.service, 'drop trigger away on pathmend.not_founds');
    await storedAfterAll(project, 2);
    expect(await refused(project)).to.deep.equal([]);
  });

  it('goes with its project', async () => {
    await queue([notFound(project, '/poison/3')]);
    await until('it is set aside', async () => (await refused(project)).length === 1);
    await test.service.db.transaction().execute((trx) => eraseProjectEvents(trx, project.row.project_id));
    expect(await refused(project)).to.deep.equal([]);
  });

  it('is listed and queued again by what docs/reference/analytics.md says', async function () {
    const typed = {
      cwd: packageRoot(),
      env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: test.service.database.url },
    };
    // PostgreSQL's own client is no part of the checkout.
    if ((await typeBlock('command -v psql', typed)).code !== 0) this.skip();
    await queue([notFound(project, '/poison/4')]);
    await until('it is set aside', async () => (await refused(project)).length === 1);
    const [list = '', again = ''] = await shellBlocks(
      'docs/reference/analytics.md',
      'Events that the database refuses',
    );
    expect((await typeBlock(list, typed)).stdout)
      .to.contain('/poison/4')
      .and.to.contain('no_poison');
    await query(test.service, 'alter table pathmend.not_founds drop constraint no_poison');
    expect(await typeBlock(again, typed)).to.deep.include({ code: 0 });
    await until(
      'all are stored',
      async () =>
        (await query(test.service, `select from pathmend.not_founds where raw_path = '/poison/4'`)).length === 1,
    );
    expect(await refused(project)).to.deep.equal([]);
  });
});

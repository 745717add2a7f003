import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { vectorizePage } from '#src/pages/indexing/vectorize-job.js';
import { inParallel } from '../../../support/in-parallel.js';
import { createTestDatabase, onServer } from '../../../support/database.js';
import { createLogins, type Logins } from '../../../support/logins.js';
import { retryNow } from '../../../support/retry-now.js';
import { startTestService, type Answer, type TestProject, type TestService } from '../../../support/service.js';
import { query } from '../../../support/sql.js';
import { until } from '../../../support/until.js';

describe('a role at its connection limit (on a server only: the embedded database has one session)', function () {
  this.timeout(120_000);
  let logins: Logins;
  let test: TestService;
  let project: TestProject;

  before(async function () {
    if (!onServer()) this.skip();
    const database = await createTestDatabase();
    logins = await createLogins(database);
    const environment = { DATABASE_URL: logins.urlOf(logins.owner) };
    // The test expects these refusals, so their log is not shown.
    const log = new PassThrough().resume();

    test = await startTestService({}, { database: { ...database, environment }, log });
    project = await test.newProject();
    await project.upsert({ url: 'https://shop.example/help/shipping-times', content: 'Parcels take three days.' });
    await project.indexed();
  });

  after(async () => {
    if (!onServer()) return;
    await limitTo(-1);
    await test.service.stop();
    await logins.drop();
  });

  const limitTo = (connections: number): Promise<unknown> =>
    logins.admin.query(`alter role ${logins.owner} connection limit ${connections}`);
  const connections = async (): Promise<number> => {
    const text = 'select count(*)::int as n from pg_stat_activity where usename = $1';
    const { rows } = await logins.admin.query<{ n: number }>(text, [logins.owner]);
    return rows[0]?.n ?? 0;
  };
  const cut = (): Promise<unknown> =>
    logins.admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [logins.owner]);
  const ready = (): Promise<Answer> => project.call('GET', '/readyz');
  /** Sends a request: searches, writes, events and lists take turns. No cache may answer one. */
  const ask = (i: number): Promise<Answer> =>
    [
      () => project.post('/v1/suggest', { path: `/shipping-times-${i}` }),
      () => project.post('/v1/semantic-search', { query: `how long do parcels take ${i}` }),
      () => project.post('/v1/pages/upsert', { url: `https://shop.example/${i}`, content: 'A page.' }),
      () => project.post('/v1/events', { raw_path: `/gone-${i}` }),
      () => project.call('GET', '/v1/pages'),
    ][i % 5]?.() as Promise<Answer>;

  function expectServedOrBusy(answers: readonly Answer[]): void {
    for (const { status, headers, body } of answers)
      if (status === 503) {
        expect(Number(headers.get('retry-after'))).to.be.above(0);
        expect(body.error.code).to.equal('overloaded');
      } else expect(status, JSON.stringify(body)).to.be.within(200, 204);
  }

  it('is served by the connections that it has: no request gets a 500, and readyz is red and says why', async () => {
    await limitTo(await connections());
    const answers = await inParallel(
      Array.from({ length: 200 }, (_, i) => i),
      ask,
      50,
    );
    expectServedOrBusy(answers);
    expect(answers.filter(({ status }) => status !== 503).length).to.be.above(100);
    const { status, body } = await ready();
    expect(status).to.equal(503);
    expect(body.reasons.schema).to.match(/takes no more connections: a limit is reached/);
  });

  it('and has no connection left: each route answers 503 with Retry-After', async () => {
    await limitTo(0);
    await cut();
    await until('nothing is connected', async () => {
      await cut();
      return (await connections()) === 0;
    });
    let answers: Answer[] = [];
    // The pool learns that a connection was cut when it uses it. One that was being made while the limit fell is
    // counted by nobody yet, and is cut here.
    await until('all are refused', async () => {
      answers = await Promise.all([0, 1, 2, 3, 4].map(ask));
      const refused = answers.every(({ status }) => status === 503);
      if (!refused) await cut();
      return refused;
    });
    expectServedOrBusy(answers);
    expect((await ready()).status).to.equal(503);
  });

  /**
   * A worker whose connection was cut cannot say how its job ended: the job is tried again when its heartbeat is late.
   * That of jobs begun before `since` is late at once.
   */
  async function retryLost(since: Date): Promise<void> {
    const { name } = vectorizePage;
    await query(
      test.service,
      `update pgboss.job set heartbeat_on = 'epoch' where name = $1 and state = 'active' and started_on < $2`,
      [name, since],
    );
    await query(test.service, 'update pgboss.queue set monitor_on = null where name = $1', [name]);
    await test.service.queue.boss.supervise(name);
    await retryNow(test.service, vectorizePage);
  }

  it('goes on by itself when the limit is lifted', async () => {
    await limitTo(-1);
    const { rows } = await logins.admin.query<{ now: Date }>('select now()');
    const [lifted] = rows;
    await until('readyz is green', async () => (await ready()).status === 200);
    expectServedOrBusy(await Promise.all([0, 1, 2, 3, 4].map(ask)));
    await project.indexed(() => retryLost(lifted?.now ?? new Date()));
  });
});

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { recordEvents } from '#src/events/record-events-job.js';
import { packageRoot } from '#src/base/package-root.js';
import { citusUrl, createDistributedDatabase, nodeOfProject, NEEDS_CITUS } from '../support/citus.js';
import { startTestService, type TestProject, type TestService } from '../support/service.js';
import { query } from '../support/sql.js';
import { until } from '../support/until.js';

const run = promisify(execFile);

describe(`a worker of Citus that stops${citusUrl() === undefined ? ` (${NEEDS_CITUS})` : ''}`, function () {
  this.timeout(180_000);
  let running: TestService;
  let stopped: TestProject;
  let other: TestProject;
  let node: string;
  let pushed = 0;

  before(async function () {
    if (citusUrl() === undefined) this.skip();
    const log = new PassThrough().resume();
    running = await startTestService({}, { database: await createDistributedDatabase(), log });
    stopped = await running.newProject();
    node = await nodeOfProject(running.service, stopped);
    do other = await running.newProject();
    while ((await nodeOfProject(running.service, other)) === node);
    for (const project of [stopped, other]) {
      await project.upsert({ url: 'https://site.example/guides/lamps', content: 'Lamps for the desk.' });
      await project.indexed();
    }
  });

  after(async () => {
    if (citusUrl() === undefined) return;
    // The worker starts again, even where a test failed: other tests need it.
    await turn('start');
    await running.stop();
  });

  const turn = (how: 'stop' | 'start'): Promise<unknown> =>
    run(join(packageRoot(), 'scripts', 'citus', 'node.sh'), [how, node.split(':')[1] ?? '']);

  const push = (project: TestProject) =>
    project.call('POST', '/v1/pages/upsert', {
      url: `https://site.example/guides/lamps-${++pushed}`,
      content: `Lamps of type ${pushed}.`,
    });
  const countIndexed = async (project: TestProject): Promise<number> => {
    const { body } = await project.call('GET', '/v1/pages?limit=100&status=INDEXED');
    return body.pages.length;
  };
  /** Acknowledged events of several projects, which are stored together. */
  const queueEvents = async (...projects: TestProject[]): Promise<void> => {
    const events = projects.map((project) => ({
      eventId: randomUUID(),
      projectId: project.row.project_id,
      isTest: false,
      receivedAt: new Date().toISOString(),
      event: {
        type: 'not-found' as const,
        rawPath: '/guide/gone',
        origin: null,
        referrer: null,
        userAgent: null,
        visitorIp: null,
      },
    }));
    await running.service.queue.enqueueNow(recordEvents, [{ events }]);
  };
  const storedEvents = async (project: TestProject): Promise<number> => {
    const rows = 'select 1 from pathmend.not_founds where project_id = $1';
    return (await query(running.service, rows, [project.row.project_id])).length;
  };
  const search = (project: TestProject) => project.post('/v1/suggest', { path: `/guide/lamp-${++pushed}` });

  it('costs only its own projects answers, and no acknowledged page', async () => {
    // This page waits for its vectors when the worker stops.
    expect((await push(stopped)).status).to.equal(202);
    await turn('stop');
    const refused = await Promise.all([search(stopped), push(stopped)]);
    for (const { status, text } of refused) expect(status, text).to.be.oneOf([500, 503]);
    expect((await search(other)).status).to.equal(200);
    expect((await push(other)).status).to.equal(202);
    await other.indexed();
    await queueEvents(stopped, other);
    await until("the other's event is stored", async () => (await storedEvents(other)) === 1, 60_000);
    expect(await storedEvents(stopped)).to.equal(0);
    await turn('start');
    await until('its projects are answered again', async () => (await search(stopped)).status === 200, 60_000);
    expect((await push(stopped)).status).to.equal(202);
    // Jobs that failed while the worker was away are retried half a minute later, each time.
    await until('all that was acknowledged is indexed', async () => (await countIndexed(stopped)) === 3, 90_000);
    await until('its event is stored', async () => (await storedEvents(stopped)) === 1, 90_000);
  });
});

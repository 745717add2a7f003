import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { recordEvents } from '#src/events/record-events-job.js';
import { requeueStalledPages } from '#src/pages/maintain-pages.js';
import { vectorizePage } from '#src/pages/indexing/vectorize-job.js';
import { beforeContent, Gate } from '../../../support/gated-embedder.js';
import { queueMaintenance } from '../../../support/maintenance.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';
import { until } from '../../../support/until.js';

const URL = 'https://garden.example/guide';

describe('jobs that come late, twice or not at all', function () {
  this.timeout(120_000);
  let service: TestService;
  let project: TestProject;
  const gate = new Gate();
  const embedded: string[] = [];

  before(async () => {
    service = await startTestService(
      {},
      {
        wrapEmbedder: beforeContent(async (content) => {
          embedded.push(content);
          await gate.pass();
        }),
      },
    );
  });

  after(async () => {
    gate.open();
    await service.stop();
  });

  beforeEach(async () => {
    project = await service.newProject();
    embedded.length = 0;
  });

  afterEach(() => {
    gate.open();
  });

  async function count(from: ReturnType<typeof sql>): Promise<number> {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${from}`.execute(service.service.db);
    return rows[0]?.n ?? 0;
  }

  it('the job of a page that is deleted while a worker embeds it brings nothing back', async () => {
    gate.close();
    const { arrived } = gate;
    const { body } = await project.upsert({ url: URL, content: 'Plant tulips in autumn.' });
    await until('the worker has the page', () => gate.arrived > arrived);
    expect((await project.call('DELETE', '/v1/pages/delete', { pageId: body.page_id })).status).to.equal(200);
    gate.open();
    await until(
      'its job is done',
      async () => (await count(sql`pgboss.job where singleton_key = ${body.page_id} and state < 'completed'`)) === 0,
    );
    for (const table of ['pages', 'indexed_pages', 'chunks', 'vocabulary']) {
      expect(
        await count(sql`${sql.table(`pathmend.${table}`)} where project_id = ${project.row.project_id}`),
        table,
      ).to.equal(0);
    }
  });

  it('a job whose page is indexed already is dropped, not run', async () => {
    const { body } = await project.upsert({ url: URL, content: 'Prune roses in March.' });
    await project.indexed();
    const completed = sql`pgboss.job where singleton_key = ${body.page_id} and state = 'completed'`;
    await until('its job is settled', async () => (await count(completed)) === 1);
    await service.service.queue.enqueueNow(vectorizePage, [
      { projectId: project.row.project_id, pageId: body.page_id },
    ]);
    service.service.queue.wake(vectorizePage);
    await until('the second job is done', async () => (await count(completed)) === 2);
    // Its content, and the last segment of its path.
    expect(embedded).to.deep.equal(['Prune roses in March.', 'guide']);
  });

  it("an event's job that runs twice stores one row", async () => {
    const path = `/gone/${project.row.project_id}`;
    expect((await project.post('/v1/events', { raw_path: path })).status).to.equal(204);
    const job = sql`pgboss.job where name = ${recordEvents.name} and data #>> '{events,0,event,rawPath}' = ${path}`;
    const row = sql`pathmend.not_founds where raw_path = ${path}`;
    const done = (): Promise<void> =>
      until('the job is done', async () => (await count(sql`${job} and state = 'completed'`)) === 1);
    await done();
    expect(await count(row)).to.equal(1);
    // As after a worker that stored the event and was killed before it could say so.
    await sql`update pgboss.job set state = 'retry', completed_on = null
               where name = ${recordEvents.name} and data #>> '{events,0,event,rawPath}' = ${path}`.execute(
      service.service.db,
    );
    service.service.queue.wake(recordEvents);
    await done();
    expect(await count(row)).to.equal(1);
  });

  for (const status of ['PENDING_VECTORIZATION', 'PROCESSING']) {
    it(`a page that has been ${status} for hours without a job is found by maintenance and indexed`, async () => {
      await project.upsert({ url: URL, content: 'Water in the morning.' });
      await project.indexed();
      await sql`update pathmend.pages set status = ${status}, status_at = now() - interval '2 hours'
                 where project_id = ${project.row.project_id}`.execute(service.service.db);
      await queueMaintenance(service.service);
      await project.indexed();
      expect(embedded.filter((text) => text === 'Water in the morning.')).to.have.length(2);
    });
  }

  it('a page that waits its turn is left alone by maintenance', async () => {
    gate.close();
    await project.upsert({ url: URL, content: 'Rake leaves in November.' });
    expect(await requeueStalledPages({ ...service.service.deps, db: service.service.db }, 3_600)).to.equal(0);
    gate.open();
    await project.indexed();
  });
});

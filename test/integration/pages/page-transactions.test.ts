import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { expectError } from '../../support/expect-error.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';

const URL = 'https://shop.example/pens/blue';
const OLD = 'A blue fountain pen with a steel nib.';
const NEW = 'A telescope for looking at the moon.';

describe('a page and its job', () => {
  let testService: TestService;
  let project: TestProject;

  before(async function () {
    this.timeout(120_000);
    testService = await startTestService({}, { log: new PassThrough().resume() });
    await sql`create function pathmend.refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused by the test'; end $$`.execute(testService.service.db);
  });

  after(() => testService.stop());

  beforeEach(async () => {
    project = await testService.newProject();
  });

  /** Runs `work` while every write to a table fails. */
  async function whileRefused(table: string, work: () => Promise<void>): Promise<void> {
    const { db } = testService.service;
    const name = sql.raw(table);
    await sql`create trigger refuse before insert or update or delete on ${name}
      for each row execute function pathmend.refuse()`.execute(db);
    try {
      await work();
    } finally {
      await sql`drop trigger refuse on ${name}`.execute(db);
    }
  }

  async function jobs(...states: string[]): Promise<number> {
    const { rows } = await sql<{ jobs: number }>`select count(*)::int as jobs from pgboss.job
      where name = 'vectorize-page' and data->>'projectId' = ${project.row.project_id}
        and state::text = any (${states})`.execute(testService.service.db);
    return rows[0]?.jobs ?? -1;
  }

  const documents = async (): Promise<{ content: string }[]> =>
    (await project.post('/v1/retrieve', { query: OLD })).body.documents;

  it('never is there a page without its job: when the job cannot be queued, nothing is stored', async () => {
    await whileRefused('pgboss.job', async () => {
      expectError(await project.post('/v1/pages/upsert', { url: URL, content: OLD }), 500);
    });
    expect((await project.upsert({ url: URL, content: OLD })).body.action).to.equal('created');
    await project.indexed();
    expect((await documents()).map(({ content }) => content)).to.deep.equal([OLD]);
  });

  it('nor a job for a page that was rolled back, nor half of a change', async () => {
    await project.upsert({ url: URL, content: OLD, title: 'Old' });
    await project.indexed();
    await whileRefused('pathmend.index_versions', async () => {
      expectError(await project.post('/v1/pages/upsert', { url: URL, content: NEW, title: 'New' }), 500);
      expect(await jobs('created', 'retry', 'active')).to.equal(0);
    });
    const { body } = await project.upsert({ url: URL, content: OLD, title: 'Old' });
    expect(body.status).to.equal('INDEXED');
    expect(body.message).to.match(/nothing changed/i);
    expect((await documents()).map(({ content }) => content)).to.deep.equal([OLD]);
  });

  it('a delete that fails half-way removes nothing, and leaves the job that waits', async () => {
    const { body: page } = await project.upsert({ url: URL, content: OLD });
    await project.indexed();
    const data = { projectId: project.row.project_id, pageId: page.page_id as string };
    const { queue } = testService.service;
    await queue.boss.insert('vectorize-page', [{ data, singletonKey: data.pageId, startAfter: 3_600 }]);
    for (const table of ['pathmend.index_versions', 'pathmend.vocabulary', 'pathmend.chunks']) {
      await whileRefused(table, async () => {
        expectError(await project.call('DELETE', '/v1/pages/delete', { url: URL }), 500, undefined, table);
      });
      expect(
        (await documents()).map(({ content }) => content),
        table,
      ).to.deep.equal([OLD]);
      const { body } = await project.post('/v1/suggest', { path: '/pens/bleu', options: { searchThreshold: 0 } });
      expect(body.suggestions, table).to.have.lengthOf(1);
      expect(await jobs('created'), table).to.equal(1);
    }
  });

  it('new vectors that cannot be stored leave the old ones whole', async () => {
    await project.upsert({ url: URL, content: OLD });
    await project.indexed();
    const before = await documents();
    await whileRefused('pathmend.vocabulary', async () => {
      await project.upsert({ url: URL, content: NEW });
      await until('storing them failed', async () => (await jobs('retry')) === 1);
      const scoreOf = (retrieved: unknown[]): number => (retrieved[0] as { score: number }).score;
      // The heading is read from the content as it is now, and moves the score a little.
      expect(scoreOf(await documents())).to.be.closeTo(scoreOf(before), 0.01);
    });
    await project.indexed();
    expect((await documents()).map(({ content }) => content)).to.deep.equal([NEW]);
  });
});

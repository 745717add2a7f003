import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import type { Db } from '#src/platform/database/db.js';
import { vectorizePage } from '#src/pages/indexing/vectorize-job.js';
import { deletePage } from '#src/pages/delete-pages.js';
import { rejection } from '../embedding/rejection.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';

const URL = 'https://site.example/lakes/deep-water';
const CONTENT = 'Deep water is cold, and clear in winter.';

describe('deleting a page', () => {
  let service: TestService;
  let project: TestProject;

  before(async () => {
    service = await startTestService();
  });

  after(() => service.stop());

  beforeEach(async () => {
    project = await service.newProject();
  });

  const db = (): Db => service.service.db;

  /** Rows of the project, by table. */
  async function rows(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const table of ['pages', 'indexed_pages', 'passages', 'vocabulary']) {
      const {
        rows: [row],
      } = await sql<{ n: number }>`
        select count(*)::int as n from ${sql.table(`pathmend.${table}`)} where project_id = ${project.row.project_id}`.execute(
        db(),
      );
      counts[table] = row?.n ?? 0;
    }
    return counts;
  }

  async function version(): Promise<number> {
    const {
      rows: [row],
    } = await sql<{ version: string }>`
      select version from pathmend.index_versions where project_id = ${project.row.project_id}`.execute(db());
    return Number(row?.version);
  }

  async function waitingJobs(pageId: string): Promise<number> {
    const {
      rows: [row],
    } = await sql<{ n: number }>`
      select count(*)::int as n from pgboss.job where singleton_key = ${pageId} and state < 'active'`.execute(db());
    return row?.n ?? 0;
  }

  it('removes passages, index row and words, and makes cached answers void', async () => {
    await project.upsert({ url: URL, content: CONTENT });
    await project.indexed();
    // Three: the content, the page's beginning, and the last segment of its path.
    expect(await rows()).to.deep.equal({ pages: 1, indexed_pages: 1, passages: 3, vocabulary: 9 });
    const search = async (): Promise<unknown[]> =>
      (await project.post('/v1/semantic-search', { query: 'deep water', options: { searchThreshold: 0 } })).body
        .suggestions as unknown[];
    expect(await search()).to.have.length(1);
    const before = await version();
    expect((await project.call('DELETE', '/v1/pages/delete', { url: URL })).status).to.equal(200);
    expect(await rows()).to.deep.equal({ pages: 0, indexed_pages: 0, passages: 0, vocabulary: 0 });
    expect(await version()).to.equal(before + 1);
    expect(await search()).to.be.empty;
  });

  it('leaves the words of other pages counted', async () => {
    await project.upsert({ url: URL, content: CONTENT });
    await project.upsert({ url: 'https://site.example/rivers', content: 'Water runs.' });
    await project.indexed();
    await project.call('DELETE', '/v1/pages/delete', { url: URL });
    const { rows: words } = await sql`
      select word, pages from pathmend.vocabulary where project_id = ${project.row.project_id} order by word`.execute(
      db(),
    );
    expect(words).to.deep.equal(['rivers', 'runs', 'water'].map((word) => ({ word, pages: 1 })));
  });

  it('takes back the jobs that wait for it', async () => {
    const { body } = await project.upsert({ url: URL, content: CONTENT });
    await project.indexed();
    const key = { projectId: project.row.project_id, pageId: body.page_id as string };
    // Not yet due, so that no worker takes it: what waits for its retry.
    await service.service.queue.boss.insert(vectorizePage.name, [
      { data: key, singletonKey: key.pageId, startAfter: 3_600 },
    ]);
    expect(await waitingJobs(key.pageId)).to.equal(1);
    await project.call('DELETE', '/v1/pages/delete', { url: URL });
    expect(await waitingJobs(key.pageId)).to.equal(0);
  });

  it('is one transaction: when its last step fails, the page, its words and its job are all still there', async () => {
    const { body } = await project.upsert({ url: URL, content: CONTENT });
    await project.indexed();
    const key = { projectId: project.row.project_id, pageId: body.page_id as string };
    await service.service.queue.boss.insert(vectorizePage.name, [
      { data: key, singletonKey: key.pageId, startAfter: 3_600 },
    ]);
    const before = await rows();
    const { pool } = service.service.database.connection;
    await pool.query(`create function public.refuse_version() returns trigger language plpgsql as
      $$ begin raise exception 'refused at the last step'; end $$`);
    await pool.query(`create trigger refuse_version before insert on pathmend.index_versions for each row
      execute function public.refuse_version()`);
    try {
      const target = { url: undefined, pageId: key.pageId };
      await rejection(
        deletePage(service.service.deps, service.service.deps.tenants.of(project.row.project_id), target),
        Error,
      );
    } finally {
      await pool.query('drop function public.refuse_version() cascade');
    }
    expect(await rows()).to.deep.equal(before);
    expect(await waitingJobs(key.pageId)).to.equal(1);
    await inTransaction(db(), (trx) => service.service.queue.withdraw(trx, vectorizePage, [key.pageId]));
  });
});

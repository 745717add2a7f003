import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { vectorizePage } from '#src/pages/indexing/vectorize-job.js';
import { retryNow } from '../../support/retry-now.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { beforeContent, Gate } from '../../support/gated-embedder.js';

interface PageRow {
  status: string;
  error: string | null;
}

describe('a page that cannot be indexed', function () {
  this.timeout(120_000);
  let service: TestService;
  let project: TestProject;
  const gate = new Gate();
  let poisonous = true;
  let attempts = 0;

  before(async () => {
    service = await startTestService(
      {},
      {
        log: new PassThrough().resume(),
        wrapEmbedder: beforeContent(async (content) => {
          if (!content.includes('POISON')) return;
          attempts += 1;
          await gate.pass();
          if (poisonous) throw new Error('this text breaks the model');
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
    poisonous = true;
    attempts = 0;
  });

  async function page(path: string): Promise<PageRow | undefined> {
    const { rows } = await sql<PageRow>`
      select status, error from pathmend.pages
       where project_id = ${project.row.project_id} and url = ${`https://site.example/${path}`}`.execute(
      service.service.db,
    );
    return rows[0];
  }

  /** The number of retries of each page's job. */
  async function attemptsOf(paths: string[]): Promise<number[]> {
    const { rows } = await sql<{ retry_count: number }>`
      select j.retry_count from pathmend.pages p join pgboss.job j on j.singleton_key = p.page_id
       where p.project_id = ${project.row.project_id} and p.url = any (${paths.map((path) => `https://site.example/${path}`)})`.execute(
      service.service.db,
    );
    return rows.map((row) => row.retry_count);
  }

  function becomes(path: string, status: string): Promise<void> {
    return until(`/${path} is ${status}`, async () => (await page(path))?.status === status, 60_000);
  }

  /** Waits until a page is in the state ERROR, and makes its retries due at once. */
  function fails(path: string): Promise<void> {
    return until(
      `/${path} is ERROR`,
      async () => {
        await retryNow(service.service, vectorizePage);
        return (await page(path))?.status === 'ERROR';
      },
      60_000,
    );
  }

  it('goes from PENDING_VECTORIZATION over PROCESSING to ERROR, after three retries; its neighbours are indexed', async () => {
    gate.close();
    const { body } = await project.upsert({ url: 'https://site.example/bad', content: 'POISON in the well.' });
    expect(body.status).to.equal('PENDING_VECTORIZATION');
    await becomes('bad', 'PROCESSING');
    const neighbours = ['one', 'two', 'three', 'four', 'five'];
    for (const path of neighbours) {
      await project.upsert({
        url: `https://site.example/${path}`,
        content: `Page ${path} is about clear water and good wells.`,
      });
    }
    gate.open();
    // The page failed once: it waits for its retry, in which its neighbours take part.
    await until('the page was tried again', () => attempts >= 2, 60_000);
    for (const path of neighbours) await becomes(path, 'INDEXED');
    expect((await page('bad'))?.status).not.to.equal('ERROR');
    await fails('bad');
    expect(attempts).to.equal(4);
    expect((await page('bad'))?.error).to.equal('Error: this text breaks the model');
    for (const path of neighbours) expect(await page(path)).to.deep.equal({ status: 'INDEXED', error: null });
  });

  it('keeps its neighbours out of it when it is the database that refuses it', async () => {
    const { pool } = service.service.database.connection;
    await pool.query(`create function public.refuse_page() returns trigger language plpgsql as
      $$ begin raise exception 'refused by the database'; end $$`);
    await pool.query(`create trigger refuse_page before insert on pathmend.indexed_pages for each row
      when (new.path = '/refused') execute function public.refuse_page()`);
    try {
      // One batch of all: the worker is held by the poisonous page while they come in.
      poisonous = false;
      gate.close();
      await project.upsert({ url: 'https://site.example/first', content: 'POISON that is none.' });
      await becomes('first', 'PROCESSING');
      for (const path of ['left', 'refused', 'right']) {
        await project.upsert({ url: `https://site.example/${path}`, content: `What stands at ${path}.` });
      }
      gate.open();
      await becomes('left', 'INDEXED');
      await becomes('right', 'INDEXED');
      // Both were indexed at their first attempt, without a retry whose batches divide by chance.
      expect(await attemptsOf(['left', 'right'])).to.deep.equal([0, 0]);
      await fails('refused');
      expect((await page('refused'))?.error).to.include('refused by the database');
    } finally {
      gate.open();
      await pool.query('drop function public.refuse_page() cascade');
    }
  });
});

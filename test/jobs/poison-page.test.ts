import { expect } from 'chai';
import { sql } from 'kysely';
import { startTestService, type TestProject, type TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { beforeContent, Gate } from '../support/gated-embedder.js';

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
    service = await startTestService({}, {
      wrapEmbedder: beforeContent(async (content) => {
        if (!content.includes('POISON')) return;
        attempts += 1;
        await gate.pass();
        if (poisonous) throw new Error('this text breaks the model');
      }),
    });
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
       where project_id = ${project.row.project_id} and url = ${`https://site.example/${path}`}`.execute(service.service.deps.db);
    return rows[0];
  }

  function becomes(path: string, status: string): Promise<void> {
    return until(`/${path} is ${status}`, async () => (await page(path))?.status === status, 60_000);
  }

  it('goes PENDING_VECTORIZATION, PROCESSING, and after the retries ERROR with the reason; its neighbours are indexed at once', async () => {
    gate.close();
    const { body } = await project.upsert({ url: 'https://site.example/bad', content: 'POISON in the well.' });
    expect(body.status).to.equal('PENDING_VECTORIZATION');
    await becomes('bad', 'PROCESSING');
    const neighbours = ['one', 'two', 'three', 'four', 'five'];
    for (const path of neighbours) {
      await project.upsert({ url: `https://site.example/${path}`, content: `Page ${path} is about clear water and good wells.` });
    }
    gate.open();
    // Failed once: it waits for its retry, in which its neighbours take part.
    await until('the page was tried again', () => attempts >= 2, 60_000);
    for (const path of neighbours) await becomes(path, 'INDEXED');
    expect((await page('bad'))?.status).not.to.equal('ERROR');
    await becomes('bad', 'ERROR');
    expect(attempts).to.equal(4);
    expect((await page('bad'))?.error).to.equal('Error: this text breaks the model');
    for (const path of neighbours) expect(await page(path)).to.deep.equal({ status: 'INDEXED', error: null });
  });

  it('in ERROR is queued again by an upsert of the same content, and indexed once it can be', async () => {
    const pushed = { url: 'https://site.example/bad', content: 'POISON in the well.' };
    await project.upsert(pushed);
    await becomes('bad', 'ERROR');
    poisonous = false;
    const { body } = await project.upsert(pushed);
    expect(body).to.include({ status: 'PENDING_VECTORIZATION', action: 'updated_metadata' });
    await becomes('bad', 'INDEXED');
    expect((await page('bad'))?.error).to.be.null;
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
      await becomes('refused', 'ERROR');
      expect((await page('refused'))?.error).to.include('refused by the database');
      expect((await page('left'))?.status).to.equal('INDEXED');
    } finally {
      gate.open();
      await pool.query('drop function public.refuse_page() cascade');
    }
  });
});

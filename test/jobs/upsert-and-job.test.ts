import { expect } from 'chai';
import { sql } from 'kysely';
import { vectorizePage } from '#src/jobs/kinds.js';
import type { JobQueue } from '#src/jobs/queue.js';
import { parsePageUrl, type PageUrl } from '#src/pages/page-url.js';
import { upsertPages } from '#src/pages/upsert-pages.js';
import { rejection } from '../embedding/rejection.js';
import { sharedService } from '../support/shared-service.js';
import type { TestProject } from '../support/service.js';

const CONTENT = 'The kettle pours slowly and keeps the water hot.';

describe('an upsert and its job are one transaction', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
  });

  async function count(table: 'pathmend.pages' | 'pgboss.job'): Promise<number> {
    const id = project.row.project_id;
    const owned = table === 'pgboss.job' ? sql`data ->> 'projectId' = ${id}` : sql`project_id = ${id}`;
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.raw(table)} where ${owned}`.execute(sharedService().service.deps.db);
    return rows[0]?.n ?? 0;
  }

  /** The service's own queue, with something around the queueing of jobs. */
  function upsertWith(enqueue: (real: () => Promise<void>) => Promise<void>): Promise<unknown> {
    const { deps } = sharedService().service;
    const queue: JobQueue = { ...deps.queue, enqueue: (trx, kind, payloads) => enqueue(() => deps.queue.enqueue(trx, kind, payloads)) };
    const url = parsePageUrl('https://shop.example/kettle') as PageUrl;
    return upsertPages({ ...deps, queue }, project.row.project_id, [{ url, content: CONTENT }]);
  }

  it('leaves no page when the job cannot be queued', async () => {
    const error = await rejection(upsertWith(() => Promise.reject(new Error('the queue is gone'))), Error);
    expect(error.message).to.equal('the queue is gone');
    expect(await count('pathmend.pages')).to.equal(0);
  });

  it('leaves no job when the page is rolled back behind it', async () => {
    await rejection(upsertWith(async (real) => {
      await real();
      throw new Error('failed after the job');
    }), Error);
    expect(await count('pathmend.pages')).to.equal(0);
    expect(await count('pgboss.job')).to.equal(0);
  });

  it('answers 500 and keeps nothing when the database refuses the job, and takes the page once it does not', async () => {
    const { pool } = sharedService().service.database.connection;
    await pool.query(`create function public.refuse_job() returns trigger language plpgsql as
      $$ begin raise exception 'no jobs of this project'; end $$`);
    await pool.query(`create trigger refuse_job before insert on pgboss.job for each row
      when (new.data ->> 'projectId' = '${project.row.project_id}') execute function public.refuse_job()`);
    const page = { url: 'https://shop.example/kettle', content: CONTENT };
    try {
      const refused = await project.post('/v1/pages/upsert', page);
      expect(refused.status).to.equal(500);
      expect(refused.body.error.code).to.equal('internal_error');
      expect(refused.text).not.to.include('no jobs of this project');
      expect(await count('pathmend.pages')).to.equal(0);
    } finally {
      await pool.query('drop function public.refuse_job() cascade');
    }
    const { body } = await project.upsert(page);
    expect(body).to.include({ action: 'created', status: 'PENDING_VECTORIZATION' });
    await project.indexed();
  });

  it('writes one job for a page, named after it', async () => {
    const { body } = await project.upsert({ url: 'https://shop.example/kettle', content: CONTENT });
    const { rows } = await sql`
      select name, data from pgboss.job where singleton_key = ${body.page_id}`.execute(sharedService().service.deps.db);
    expect(rows).to.deep.equal([
      { name: vectorizePage.name, data: { projectId: project.row.project_id, pageId: body.page_id } },
    ]);
    await project.indexed();
  });
});

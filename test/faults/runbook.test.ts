import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { onServer } from '../support/database.js';
import { beforeContent, Gate } from '../support/gated-embedder.js';
import { metricAt } from '../support/metric.js';
import { startTestService, type TestProject, type TestService } from '../support/service.js';
import { query } from '../support/sql.js';
import { until } from '../support/until.js';

/** Symptoms of docs/operate/runbook.md that no other test provokes, and the metric that its alert reads. */
describe('the runbook: what an operator sees when', function () {
  this.timeout(120_000);
  let test: TestService;
  let project: TestProject;
  const gate = new Gate();

  before(async () => {
    test = await startTestService(
      { DATABASE_POOL: '3', SEARCH_CACHE_ENTRIES: '0' },
      {
        log: new PassThrough().resume(),
        wrapEmbedder: beforeContent(async (content) => {
          if (content.includes('POISON')) throw new Error('this text breaks the model');
          if (content.includes('GATED')) await gate.pass();
        }),
      },
    );
    project = await test.newProject();
    await project.upsert({ url: 'https://site.example/lamps', content: 'Lamps for the desk.' });
    await project.indexed();
  });

  after(async () => {
    gate.open();
    await test.stop();
  });

  const metric = (name: string, labels?: string): Promise<number> => metricAt(test.service.url, name, labels);

  it('PathmendErrors: a statement fails', async () => {
    const before = await metric('pathmend_http_requests_total', 'status="500"');
    await query(test.service, 'alter table pathmend.chunks rename to chunks_away');
    try {
      const { status } = await project.post('/v1/suggest', { path: '/old/lamps-for-desks' });
      expect(status).to.equal(500);
      expect(await metric('pathmend_http_requests_total', 'status="500"')).to.equal(before + 1);
    } finally {
      await query(test.service, 'alter table pathmend.chunks_away rename to chunks');
    }
    expect((await project.post('/v1/suggest', { path: '/old/lamps' })).status).to.equal(200);
  });

  it('PathmendPagesFailing: a page breaks the model', async () => {
    const before = await metric('pathmend_pages_failed_total');
    await project.upsert({ url: 'https://site.example/poison', content: 'POISON' });
    await until('the page has failed', async () => (await metric('pathmend_pages_failed_total')) > before, 60_000);
    const rows = await query<{ status: string }>(
      test.service,
      `select status from pathmend.pages where url = 'https://site.example/poison'`,
    );
    expect(rows[0]?.status).to.equal('ERROR');
  });

  it('PathmendQueueLate: workers are slower than what is pushed', async () => {
    gate.close();
    const late = gate.arrived;
    await project.upsert({ url: 'https://site.example/gated', content: 'GATED' });
    await until('the worker is busy', () => gate.arrived > late);
    for (let at = 0; at < 150; at++)
      await project.upsert({ url: `https://site.example/late-${at}`, content: `GATED ${at}` });
    await until('pages wait', async () => (await metric('pathmend_queue_waiting', 'vectorize')) > 0, 60_000);
    await until('for long', async () => (await metric('pathmend_queue_oldest_seconds', 'vectorize')) > 0, 60_000);
    gate.open();
    await project.indexed();
    await until('none waits', async () => (await metric('pathmend_queue_waiting', 'vectorize')) === 0, 60_000);
  });

  it('PathmendSlowSearches: a lock is held (server only: one session waits before the search begins)', async function () {
    if (!onServer()) this.skip();
    const slow = async (): Promise<number> =>
      (await metric('pathmend_search_seconds_count')) - (await metric('pathmend_search_seconds_bucket', 'le="0.5"'));
    const before = await slow();
    const { asked: search } = await test.service.db.transaction().execute(async (holder) => {
      await sql`lock table pathmend.chunks in access exclusive mode`.execute(holder);
      const waiting = project.post('/v1/suggest', { path: '/old/lamps-behind-a-lock' });
      // The alert's bound, and a little.
      await pause(600);
      return { asked: waiting };
    });
    expect((await search).status).to.equal(200);
    expect(await slow()).to.equal(before + 1);
  });

  it('PathmendConnectionsShort: whoever has the connections keeps them', async () => {
    let letGo: () => void = () => undefined;
    const released = new Promise<void>((done) => (letGo = done));
    const { db } = test.service;
    // As many as there are, and one that waits.
    const held = Array.from({ length: 4 }, () => db.connection().execute(() => released));
    try {
      await until('a caller waits for a connection', async () => (await metric('pathmend_database_waiting')) > 0);
    } finally {
      letGo();
      await Promise.all(held);
    }
    await until('nobody waits', async () => (await metric('pathmend_database_waiting')) === 0);
    expect((await project.post('/v1/suggest', { path: '/old/lamps-again' })).status).to.equal(200);
  });
});

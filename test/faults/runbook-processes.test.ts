import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { EmbedderPool } from '#src/embedding/embedder-pool.js';
import { createTestDatabase, onServer } from '../support/database.js';
import { metricAt } from '../support/metric.js';
import { startTestService } from '../support/service.js';
import { kept } from '../support/sql.js';

/** Symptoms of docs/operate/runbook.md that come of a part that ended, and the metric that its alert reads. */
describe('the runbook: what an operator sees when', function () {
  this.timeout(120_000);
  const log = new PassThrough().resume();

  it('PathmendInferenceRestarts: the model breaks down and is started again', async () => {
    const embedder = new EmbedderPool({
      pageThreads: 1,
      cacheFolder: '/nonexistent',
      threadUrl: new URL('../integration/embedding/faulty-thread.js', import.meta.url),
    });
    const test = await startTestService({}, { log, wrapEmbedder: () => embedder });
    try {
      const project = await test.newProject();
      await project.upsert({ url: 'https://site.example/lamps', content: 'Lamps for the desk.' });
      await project.indexed();
      const restarts = (): Promise<number> => metricAt(test.service.url, 'pathmend_embedding_restarts_total');
      expect(await restarts()).to.equal(0);
      for (const times of [1, 2]) {
        const { status } = await project.post('/v1/semantic-search', { query: 'exit, please' });
        expect(status).to.equal(503);
        expect((await project.post('/v1/semantic-search', { query: `lamps ${times}` })).status).to.equal(200);
        expect(await restarts()).to.equal(times);
      }
    } finally {
      await test.stop();
    }
  });

  it('PathmendNoWorker: only apis run (server only: the embedded database serves one process)', async function () {
    if (!onServer()) this.skip();
    const database = await createTestDatabase({ migrated: true });
    const api = await startTestService({}, { database: kept(database), log, role: 'api' });
    try {
      const project = await api.newProject();
      await project.upsert({ url: 'https://site.example/lamps', content: 'Lamps for the desk.' });
      expect(await metricAt(api.service.url, 'pathmend_build_info', 'role="api"')).to.equal(1);
      for (const role of ['all', 'worker'])
        expect(await metricAt(api.service.url, 'pathmend_build_info', `role="${role}"`)).to.equal(0);
      const worker = await startTestService({}, { database: kept(database), log, role: 'worker' });
      try {
        expect(await metricAt(worker.service.url, 'pathmend_build_info', 'role="worker"')).to.equal(1);
        await project.indexed();
      } finally {
        await worker.stop();
      }
    } finally {
      await api.stop();
      await database.drop();
    }
  });
});

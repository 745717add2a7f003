import { expect } from 'chai';
import { createTestDatabase, onServer, type TestDatabase } from '../../support/database.js';
import { cliJson, startServer, type ServerProcess } from '../../support/processes.js';
import { send, type Answer } from '../../support/service.js';
import { until } from '../../support/until.js';

describe('serve --role (on a server only: the embedded database serves one process)', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let api: ServerProcess;
  let worker: ServerProcess | undefined;
  let key: string;

  before(async function () {
    if (!onServer()) this.skip();
    database = await createTestDatabase();
    api = await startServer(database.environment, ['--role', 'api']);
    await cliJson(['project', 'create', '--name', 'shop', '--plan', 'scale'], database.environment);
    ({ key } = (await cliJson(['key', 'create', '--project', 'shop', '--mode', 'live'], database.environment)) as {
      key: string;
    });
  });

  after(async () => {
    if (!onServer()) return;
    await api.end('SIGTERM');
    await worker?.end('SIGTERM');
    await database.drop();
  });

  const call = (server: ServerProcess, method: string, path: string, body?: unknown): Promise<Answer> =>
    send(server.url, method, path, body, { Authorization: `Bearer ${key}` });

  async function statuses(): Promise<Record<string, number>> {
    return (
      (await cliJson(['project', 'show', '--project', 'shop'], database.environment)) as {
        pages: Record<string, number>;
      }
    ).pages;
  }

  it('api answers requests and does no job; a worker does what api queued', async () => {
    const page = { url: 'https://shop.example/help/shipping-times', content: 'Parcels take three days.' };
    const pushed = await call(api, 'POST', '/v1/pages/upsert', page);
    expect([pushed.status, pushed.body.status]).to.deep.equal([202, 'PENDING_VECTORIZATION']);
    expect((await call(api, 'POST', '/v1/events', { raw_path: '/x' })).status).to.equal(204);
    // The command's own process starts and ends meanwhile: time enough for any worker.
    expect(await statuses()).to.deep.include({ PENDING_VECTORIZATION: 1, INDEXED: 0 });
    expect((await call(api, 'GET', '/readyz')).status).to.equal(200);

    worker = await startServer(database.environment, ['--role', 'worker']);
    await until('the worker has indexed the page', async () => (await statuses())['INDEXED'] === 1);
    const { body } = await call(api, 'POST', '/v1/suggest', { path: '/shipping-times' });
    expect(body.suggestions[0].url).to.equal('/help/shipping-times');
  });

  it('a worker hears of new pages at once', async () => {
    await call(api, 'POST', '/v1/pages/upsert', { url: 'https://shop.example/second', content: 'A second page.' });
    await until('the worker has indexed the second page', async () => {
      const { body } = await call(api, 'POST', '/v1/semantic-search', {
        query: 'a second page',
        options: { searchThreshold: 0 },
      });
      return (body.suggestions as { url: string }[]).some(({ url }) => url === '/second');
    });
  });

  it('worker serves /healthz, /readyz and /metrics, and nothing of the API', async () => {
    if (!worker) throw new Error('the worker was not started');
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await call(worker, 'GET', path)).status, path).to.equal(200);
    for (const [method, path] of [
      ['POST', '/v1/suggest'],
      ['POST', '/v1/semantic-search'],
      ['POST', '/v1/retrieve'],
      ['POST', '/v1/pages/upsert'],
      ['DELETE', '/v1/pages/delete'],
      ['POST', '/v1/events'],
      ['GET', '/v1/search?query=a'],
      ['GET', '/v1/proxy?url=/a'],
    ] as const) {
      expect((await call(worker, method, path, method === 'GET' ? undefined : {})).status, path).to.equal(404);
    }
  });
});

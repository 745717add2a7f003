import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { startForwarder, type Forwarder } from '../../scripts/faults/away/forwarder.js';
import { createTestDatabase, onServer, type TestDatabase } from '../support/database.js';
import { startTestService, type TestProject, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

/** scripts/faults/away.ts does the same to processes under load, for longer, and in other ways. */
describe('behind a network that drops every packet (on a server only: the embedded database needs no network)', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let network: Forwarder;
  let test: TestService;
  let project: TestProject;

  before(async function () {
    if (!onServer()) this.skip();
    database = await createTestDatabase({ migrated: true });
    const url = new URL(database.environment['DATABASE_URL'] ?? '');
    network = await startForwarder(Number(url.port));
    url.port = String(network.port);
    test = await startTestService(
      {},
      { database: { ...database, environment: { DATABASE_URL: url.href } }, log: new PassThrough().resume() },
    );
    project = await test.newProject();
    await project.upsert({ url: 'https://shop.example/help/shipping-times', content: 'Parcels take three days.' });
    await project.indexed();
  });

  after(async () => {
    if (!onServer()) return;
    await test.stop();
    network.close();
  });

  it('requests are answered with a 500 that names the database, readyz turns red and healthz stays green', async () => {
    const get = async (path: string): Promise<number> => (await project.call('GET', path)).status;
    expect(await get('/readyz')).to.equal(200);
    network.swallow();
    const answers = await Promise.all([
      project.post('/v1/suggest', { path: '/shipping-times' }),
      project.post('/v1/events', { raw_path: '/x' }),
      project.call('POST', '/v1/pages/upsert', { url: 'https://shop.example/meanwhile', content: 'Pushed meanwhile.' }),
    ]);
    for (const { status, body, headers } of answers) {
      expect(status).to.equal(500);
      const request_id = headers.get('x-request-id');
      expect(body.error).to.deep.equal({
        code: 'internal_error',
        message: 'The database cannot be reached at the moment.',
        details: { request_id },
      });
    }
    expect([await get('/readyz'), await get('/healthz')]).to.deep.equal([503, 200]);
  });

  it('all of it goes on by itself when the network is back: requests, readiness, indexing', async () => {
    network.pass('resumed');
    await until('readyz is green again', async () => (await project.call('GET', '/readyz')).status === 200);
    await project.upsert({ url: 'https://shop.example/after', content: 'Pushed after the network came back.' });
    await project.indexed();
    const { body } = await project.post('/v1/suggest', { path: '/after' });
    expect(body.suggestions[0].url).to.equal('/after');
  });
});

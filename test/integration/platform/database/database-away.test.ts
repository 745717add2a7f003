import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import pg from 'pg';
import { onServer } from '../../../support/database.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';
import { until } from '../../../support/until.js';

describe('when the database goes away (on a server only: the embedded one goes with its process)', function () {
  this.timeout(120_000);
  let test: TestService;
  let project: TestProject;
  let admin: pg.Client;
  let name: string;

  before(async function () {
    if (!onServer()) this.skip();
    // The test expects this loss, so its log is not shown.
    test = await startTestService({}, { log: new PassThrough().resume() });
    project = await test.newProject();
    await project.upsert({ url: 'https://shop.example/help/shipping-times', content: 'Parcels take three days.' });
    await project.indexed();
    const url = new URL(test.database.environment['DATABASE_URL'] ?? '');
    name = url.pathname.slice(1);
    url.pathname = '/postgres';
    admin = new pg.Client({ connectionString: url.href });
    await admin.connect();
  });

  after(async () => {
    if (!onServer()) return;
    await admin.query(`alter database ${name} allow_connections true`);
    await admin.end();
    await test.stop();
  });

  async function allowConnections(allowed: boolean): Promise<void> {
    await admin.query(`alter database ${name} allow_connections ${allowed}`);
    if (!allowed)
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  }

  it('readyz turns red, requests get a masked 500, healthz stays green, and all of it recovers', async () => {
    const get = (path: string) => project.call('GET', path);
    expect((await get('/readyz')).status).to.equal(200);
    await allowConnections(false);
    await until('readyz is red', async () => (await get('/readyz')).status === 503);
    const { body: red } = await get('/readyz');
    expect(red.checks).to.deep.equal({ schema: false, search: false, model: true });
    expect(red.reasons).to.have.all.keys('schema', 'search');
    expect((await get('/healthz')).status).to.equal(200);
    for (const [path, body] of [
      ['/v1/suggest', { path: '/x' }],
      ['/v1/events', { raw_path: '/x' }],
    ] as const) {
      const answer = await project.post(path, body);
      expect(answer.status).to.equal(500);
      expect(answer.body.error.code).to.equal('internal_error');
      expect(answer.body.error.details.request_id).to.equal(answer.headers.get('x-request-id'));
      expect(answer.text).to.not.contain(name);
    }

    const scraped = async (): Promise<string> => {
      const { status, text } = await get('/metrics');
      expect(status).to.equal(200);
      return text;
    };
    await until('metrics say so', async () => /^pathmend_database_up 0$/m.test(await scraped()));

    await allowConnections(true);
    await until('readyz is green again', async () => (await get('/readyz')).status === 200);
    await until('metrics say so', async () => /^pathmend_database_up 1$/m.test(await scraped()));
    const { body } = await project.post('/v1/suggest', { path: '/shipping-times' });
    expect(body.suggestions[0].url).to.equal('/help/shipping-times');
  });

  it('the workers go on afterwards: a page that is pushed is indexed', async () => {
    await project.upsert({ url: 'https://shop.example/after', content: 'Pushed after the database came back.' });
    await project.indexed();
    const { body } = await project.post('/v1/suggest', { path: '/after' });
    expect(body.suggestions[0].url).to.equal('/after');
  });
});

import { expect } from 'chai';
import { freePort } from '../../../scripts/service/throwaway-database.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { runCli } from '../../support/processes.js';
import { startTestService } from '../../support/service.js';

describe('the console at its start', function () {
  this.timeout(120_000);
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  async function refusal(settings: Record<string, string>): Promise<string> {
    const { code, stderr } = await runCli(['serve'], { PORT: '0', ...database.environment, ...settings });
    expect(code).to.equal(1);
    return stderr;
  }

  it('is refused a port that is none or is taken, and a url at which nobody could log in', async () => {
    expect(await refusal({ CONSOLE_PORT: 'eight' })).to.include('CONSOLE_PORT: must be a whole number from 0 to 65535');
    const url = 'http://pathmend.example.com/console';
    expect(await refusal({ CONSOLE_PORT: '0', CONSOLE_URL: url })).to.include('must begin with https://');
    expect(await refusal({ CONSOLE_PORT: '0', CONSOLE_URL: 'pathmend' })).to.include('CONSOLE_URL must be the url');
    const { createServer } = await import('node:http');
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => taken.once('listening', done));
    const { port } = taken.address() as { port: number };
    expect(await refusal({ CONSOLE_PORT: String(port) })).to.include(`CONSOLE_PORT ${port}: another process does`);
    taken.close();
  });

  it('is off unless CONSOLE_PORT is set, and not on the port of the API', async () => {
    const test = await startTestService();
    expect(test.service.consoleUrl).to.equal(undefined);
    expect((await fetch(`${test.service.url}/console/login`)).status).to.equal(404);
    await test.stop();
  });

  it('is where CONSOLE_URL says, behind a proxy with TLS and a path of its own', async () => {
    const port = await freePort();
    const test = await startTestService({
      CONSOLE_PORT: String(port),
      CONSOLE_URL: 'https://tools.example.com/ours/pathmend/',
    });
    expect(test.service.consoleUrl).to.equal('https://tools.example.com/ours/pathmend');
    const at = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' });
    expect((await at('/ours/pathmend')).headers.get('location')).to.equal('/ours/pathmend/');
    expect((await at('/ours/pathmend/audit')).headers.get('location')).to.equal('/ours/pathmend/login?to=%2Faudit');
    const page = await (await at('/ours/pathmend/login')).text();
    expect(page).to.include('action="/ours/pathmend/login/session"').and.not.include('/console/');
    const [, asset = ''] = /href="([^"]+\.css)"/.exec(page) ?? [];
    const style = await at(asset);
    expect(style.headers.get('content-type')).to.equal('text/css; charset=utf-8');
    expect(style.headers.get('cache-control')).to.include('immutable');
    expect((await at('/console/login')).status).to.equal(404);
    await test.stop();
  });
});

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { send } from '../../support/service.js';
import { until } from '../../support/until.js';

const CURL = /curl -s (\S+) \\\n\s+-H 'Authorization: Bearer (\S+)' \\\n\s+-d '(.*)'/g;

describe('serve --demo', function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let child: ChildProcess;
  let printed = '';

  before(async () => {
    database = await createTestDatabase();
    const { PATH = '', HOME = '' } = process.env;
    child = spawn(process.execPath, [join(packageRoot(), 'dist', 'cli.js'), 'serve', '--demo'], {
      env: { PATH, HOME, PORT: '0', ...database.environment },
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    await until('the demo is ready', () => printed.includes('Ctrl-C'), 120_000);
  });

  after(async () => {
    const closed = once(child, 'close');
    if (child.exitCode === null && child.kill('SIGTERM')) await closed;
    await database.drop();
  });

  it('prints the console first, with a login that works', async () => {
    const [before = ''] = printed.split('pathmend is ready');
    const [, url = ''] = /The console: (\S+)/.exec(before) ?? [];
    const [, email = '', password = ''] = /address (\S+)\n +password (\S+)/.exec(before) ?? [];
    const page = await fetch(`${url}/login`);
    const [cookie = ''] = (page.headers.get('set-cookie') ?? '').split(';');
    const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(await page.text()) ?? [];
    const answer = await fetch(`${url}/login/session`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body: new URLSearchParams({ form_token: token, email, password }),
    });
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([303, '/console/']);
  });

  it('prints a key and three commands, each of which works as it stands', async () => {
    const commands = [...printed.matchAll(CURL)];
    expect(commands.map(([, url]) => new URL(url ?? '').pathname)).to.deep.equal([
      '/v1/suggest',
      '/v1/semantic-search',
      '/v1/retrieve',
    ]);
    for (const [, url = '', key = '', body = ''] of commands) {
      expect(key).to.match(/^pm_live_/);
      const { pathname, origin } = new URL(url);
      const answer = await send(origin, 'POST', pathname, body, { Authorization: `Bearer ${key}` });
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body.documents ?? answer.body.suggestions, body).to.not.be.empty;
    }
  });

  it('ends with 0 at SIGTERM', async () => {
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    expect((await closed)[0]).to.equal(0);
  });
});

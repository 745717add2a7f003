import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { inParallel } from '../support/in-parallel.js';
import { runInProcess } from '../support/commands.js';
import { runCli } from '../support/processes.js';
import { sharedService } from '../support/shared-service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

type Settings = Record<string, string>;

describe('whatever an operator gives wrong', function () {
  this.timeout(300_000);
  const folder = temporaryFolder();
  const at = (...names: string[]): string => join(folder, ...names);

  before(async () => {
    await mkdir(at('empty'));
    await mkdir(at('no-model'));
    await writeFile(at('no-model', 'config.json'), '{"model_type": 1}');
    await writeFile(at('file'), 'a file\n');
  });

  /** Expects exit code 1, nothing on stdout, and words without a stack, a class or a file of ours. */
  async function expectWords(args: string[], settings: Settings, word: string | RegExp): Promise<void> {
    // A server that starts after all needs a process that can be ended.
    const { code, stdout, stderr } = await (args[0] === 'serve' ? runCli : runInProcess)(args, settings);
    const what = `${args.join(' ')} ${JSON.stringify(settings)}: ${stderr.slice(0, 600)}`;
    expect([code, stdout], what).to.deep.equal([1, '']);
    expect(stderr, what).to.match(
      typeof word === 'string' ? new RegExp(word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : word,
    );
    expect(stderr, what).to.not.match(/^\s+at |\w+Error\b|node:internal|\.js:\d+/m);
    expect(stderr, what).to.not.contain('topsecret');
  }

  it('in DATABASE_URL is said in words', async () => {
    const urls: [string, string | RegExp][] = [
      ['postgres://me:topsecret@127.0.0.1:1/none', 'database cannot be reached'],
      ['postgres://', /DATABASE_URL|database cannot be reached/],
      ['postgres://me:topsecret@127.0.0.1:99999/none', 'DATABASE_URL'],
      ['postgres://me:topsecret@127.0.0.1:port/none', 'DATABASE_URL'],
      ['postgres://me:%zztopsecret@127.0.0.1:1/none', /DATABASE_URL|database cannot be reached/],
      ['postgres://[::1/none', 'DATABASE_URL'],
      ['postgres://no-such-host.invalid/none', 'database cannot be reached'],
      [
        'postgres://me:topsecret@127.0.0.1:1/none?sslmode=verify-full&sslrootcert=/no/such/file',
        /DATABASE_URL|database cannot be reached/,
      ],
      ['postgres://me:topsecret@127.0.0.1:1/none?sslmode=nonsense', /DATABASE_URL|database cannot be reached/],
      ['postgres://me:topsecret@%2Fno%2Fsuch%2Fsocket/none', /DATABASE_URL|database cannot be reached/],
      ['localhost:5432/none', 'DATABASE_URL'],
    ];
    await inParallel(urls, ([url, word]) => expectWords(['project', 'list'], { DATABASE_URL: url }, word));
    await inParallel(['serve', 'migrate'], (command) =>
      expectWords([command], { DATABASE_URL: urls[2]?.[0] ?? '', PORT: '0' }, 'DATABASE_URL'),
    );
  });

  it('in DATA_DIR is said in words', async () => {
    const folders = [at('file'), at('file', 'below'), '/dev/null/data', '/proc/pathmend', `/tmp/${'long'.repeat(80)}`];
    await inParallel(folders, (path) => expectWords(['project', 'list'], { DATA_DIR: path }, path.slice(0, 60)));
    await expectWords(['serve'], { DATA_DIR: '/proc/pathmend', PORT: '0' }, '/proc/pathmend');
  });

  it('in a setting of the server is said in words', async () => {
    const { environment } = sharedService().database;
    const cases: [Settings, string][] = [
      [{ TRUSTED_PROXIES: '0.0.0.0/0' }, 'TRUSTED_PROXIES: must name your proxies alone'],
      [{ TRUSTED_PROXIES: '10.0.0.1, ::/0' }, 'TRUSTED_PROXIES: must name your proxies alone'],
      [{ TRUSTED_PROXIES: '::ffff:0:0/000' }, 'TRUSTED_PROXIES: must name your proxies alone'],
      [{ TRUSTED_PROXIES: 'everybody' }, 'TRUSTED_PROXIES: must be addresses'],
      [{ HOST: 'no-such-host.invalid' }, 'cannot listen on HOST no-such-host.invalid'],
      [{ HOST: '999.1.1.1' }, 'cannot listen on HOST 999.1.1.1'],
      [{ HOST: '192.0.2.1' }, 'cannot listen on HOST 192.0.2.1'],
      [{ HOST: 'http://127.0.0.1' }, 'cannot listen on HOST http://127.0.0.1'],
      [{ EMBEDDING_MODEL: at('none') }, 'EMBEDDING_MODEL'],
      [{ EMBEDDING_MODEL: at('empty') }, `${at('empty')} is not a model`],
      [{ EMBEDDING_MODEL: at('file') }, 'EMBEDDING_MODEL'],
      [{ EMBEDDING_MODEL: at('no-model') }, `${at('no-model')} is not a model`],
      [{ EMBEDDING_MODEL: 'a model' }, 'EMBEDDING_MODEL'],
      [{ PORT: '-1', LOG_LEVEL: 'loud' }, 'PORT: must be at least 0'],
    ];
    // On the embedded database of the running service, which another server may not have.
    const databaseSettings: Settings =
      environment['DATABASE_URL'] === undefined ? { DATA_DIR: at('data') } : environment;
    const atOnce = environment['DATABASE_URL'] === undefined ? 1 : 4;
    await inParallel(
      cases,
      ([settings, word]) =>
        expectWords(['serve'], { ...databaseSettings, PORT: '0', LOG_LEVEL: 'error', ...settings }, word),
      atOnce,
    );
  });

  it('as an argument is said in words', async () => {
    const { environment } = sharedService().database;
    const { name } = (await sharedService().newProject()).row;
    const project = ['--project', name];
    const cases: [string[], string][] = [
      [['project', 'create', '--name', ''], 'name'],
      [['project', 'create', '--name', 'n'.repeat(100_000)], 'name'],
      [['project', 'create', '--name', 'x', '--plan', 'enterprise', '--read-rate', 'many'], 'A rate is a number'],
      [['project', 'create', '--name', 'x', '--plan', 'enterprise', '--read-burst', '1e400'], 'A rate is a number'],
      [['project', 'show', '--project', ''], 'There is no project'],
      [['project', 'show', '--project', `%_'"\\`], 'There is no project'],
      [['project', 'update', ...project, '--write-rate', '5', '--plan', 'solo'], 'enterprise'],
      [['key', 'create', ...project, '--mode', 'live', '--scopes', ''], '--scopes'],
      [['key', 'create', ...project, '--mode', 'live', '--expires-in', 'soon'], '--expires-in'],
      [['key', 'create', ...project, '--mode', 'live', '--expires-in', '999999999999999d'], '--expires-in'],
      [['key', 'create', ...project, '--mode', 'live', '--expires-in', '-1d'], '--expires-in'],
      [['key', 'rotate', '--key', ''], 'key'],
      [['key', 'rotate', '--key', 'x', '--overlap', '9e99d'], '--overlap'],
      [['key', 'revoke', '--key', '00000000-0000-0000-0000-000000000000'], 'key'],
      [['pages', 'list', ...project, '--limit', '1e30'], '--limit'],
      [['pages', 'list', ...project, '--limit', 'all'], '--limit'],
      ...['pages', 'redirects'].flatMap((what): [string[], string][] => [
        [[what, 'import', ...project, at('none')], at('none')],
        [[what, 'import', ...project, at('empty')], at('empty')],
        [[what, 'import', ...project, ''], 'file'],
        [[what, 'import', ...project, '/dev/null'], '/dev/null'],
      ]),
      [['redirects', 'list', ...project, '--limit', '0'], '--limit'],
      [['redirects', 'delete', ...project, '--path', ''], 'path'],
      [['pages', 'reindex', '--project', 'nobody'], 'There is no project'],
    ];
    await inParallel(cases, ([args, word]) => expectWords(args, environment, word));
  });
});

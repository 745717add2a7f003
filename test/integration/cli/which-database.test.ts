import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, mkdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { layOutMigrated } from '../../support/migrated-folder.js';
import { startServer, type ServerProcess } from '../../support/processes.js';

describe('a command of which no database is named', function () {
  this.timeout(180_000);
  let folder: string;
  let server: ServerProcess | undefined;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'pathmend-which-')));
    await Promise.all(['elsewhere', 'tmp'].map((name) => mkdir(join(folder, name))));
    await layOutMigrated(join(folder, 'data'));
  });
  after(async () => {
    await server?.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });

  /** In another folder than the server's, on a machine where no other test's server is found. */
  function cli(...args: string[]): { status: number | null; stdout: string; stderr: string } {
    const { PATH = '', HOME = '' } = process.env;
    return spawnSync(process.execPath, [join(packageRoot(), 'dist', 'cli.js'), ...args], {
      cwd: join(folder, 'elsewhere'),
      env: { PATH, HOME, TMPDIR: join(folder, 'tmp') },
      encoding: 'utf8',
    });
  }

  it('fails where there is none and it makes no sense on an empty one, and makes none', () => {
    for (const args of [
      ['project', 'list', '--json'],
      ['project', 'show', '--project', 'x'],
      ['key', 'create', '--project', 'x', '--mode', 'live'],
      ['redirects', 'list', '--project', 'x'],
      ['events', 'forget', '--project', 'x', '--path', '/x'],
    ]) {
      const { status, stdout, stderr } = cli(...args);
      expect([status, stdout], args.join(' ')).to.deep.equal([1, '']);
      expect(stderr)
        .to.include(join(folder, 'elsewhere', 'data'))
        .and.to.match(/DATA_DIR/)
        .and.to.match(/DATABASE_URL/);
    }
    expect(cli('doctor').stdout).to.match(/warning +database/);
    expect(existsSync(join(folder, 'elsewhere', 'data'))).to.equal(false);
  });

  it('finds that of the running server, and says so', async () => {
    server = await startServer({ DATA_DIR: join(folder, 'data'), TMPDIR: join(folder, 'tmp') });
    const made = cli('project', 'create', '--name', 'found', '--json');
    expect(made.status, made.stderr).to.equal(0);
    expect(made.stderr).to.include(join(folder, 'data'));
    expect(JSON.parse(cli('project', 'list', '--json').stdout)).to.have.length(1);
    expect(cli('doctor').stdout).to.match(/ok +database/);
    expect(existsSync(join(folder, 'elsewhere', 'data'))).to.equal(false);
    await server.end('SIGTERM');
    server = undefined;
  });

  it('says which one it makes, where it makes one', () => {
    const made = cli('project', 'create', '--name', 'new', '--json');
    expect(made.stderr)
      .to.match(/new, empty database/)
      .and.to.include(join(folder, 'elsewhere', 'data'));
    expect(JSON.parse(made.stdout)).to.include({ name: 'new' });
    const again = cli('project', 'list', '--json');
    expect([again.stderr, (JSON.parse(again.stdout) as unknown[]).length]).to.deep.equal(['', 1]);
  });
});

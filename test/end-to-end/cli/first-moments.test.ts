import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { until } from '../../support/until.js';

describe('the first moments of a process that is number 1 of its container', function () {
  this.timeout(60_000);
  let folder: string;
  let shell: ChildProcess;

  before(async function () {
    if (spawnSync('unshare', ['--fork', '--pid', 'true']).status !== 0) this.skip();
    folder = await mkdtemp(join(tmpdir(), 'pathmend-first-moments-'));
  });

  after(async () => {
    if (folder as string | undefined) await rm(folder, { recursive: true, force: true });
  });

  afterEach(() => shell.kill('SIGKILL'));

  /** Sends SIGTERM again and again from its first moment, and returns the exit code. */
  async function endedBySigterm(...args: string[]): Promise<unknown> {
    shell = spawn('unshare', ['--fork', '--pid', '--kill-child', process.execPath, 'dist/cli.js', ...args], {
      cwd: packageRoot(),
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: folder, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const ended = once(shell, 'exit');
    await until('it has ended', () => {
      if (shell.exitCode !== null) return true;
      try {
        const child = readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8').trim();
        if (child !== '' && readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('dist/cli.js'))
          process.kill(Number(child), 'SIGTERM');
      } catch (error) {
        // It has ended since: Node has yet to say so.
        if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      }
      return false;
    });
    const [code] = (await ended) as [number | null];
    expect(said).to.equal('');
    return code;
  }

  it('end at SIGTERM, before anything else is loaded', async () => {
    expect(await endedBySigterm('serve')).to.equal(0);
    expect(await endedBySigterm('migrate')).to.equal(143);
    expect(readFileSync(join(packageRoot(), 'src/cli.ts'), 'utf8')).to.not.match(/^import /m);
  });
});

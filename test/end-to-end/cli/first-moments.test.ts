import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** Runs before the program: sends it SIGTERM as soon as a handler is there. Before that, the kernel drops it. */
const TERMINATE_AT_ONCE = `data:text/javascript,process.once('newListener', () =>
  setImmediate(() => process.kill(process.pid, 'SIGTERM')));`;

describe('the first moments of a process that is number 1 of its container', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();

  before(function () {
    if (spawnSync('unshare', ['--fork', '--pid', 'true']).status !== 0) this.skip();
  });

  function endedBySigterm(command: string) {
    const program = [process.execPath, '--import', TERMINATE_AT_ONCE, 'dist/cli.js', command];
    const { status, signal, stdout, stderr } = spawnSync('unshare', ['--fork', '--pid', '--kill-child', ...program], {
      cwd: packageRoot(),
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: folder, PORT: '0' },
      encoding: 'utf8',
    });
    return { status, signal, said: stdout + stderr };
  }

  it('end at SIGTERM, before anything else is loaded', () => {
    expect(endedBySigterm('serve')).to.deep.equal({ status: 0, signal: null, said: '' });
    expect(endedBySigterm('migrate')).to.deep.equal({ status: 143, signal: null, said: '' });
    expect(readFileSync(join(packageRoot(), 'src/cli.ts'), 'utf8')).to.not.match(/^import /m);
  });
});

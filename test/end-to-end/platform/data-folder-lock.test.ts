import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { lockDataFolder } from '#src/platform/database/embedded/data-folder-lock.js';
import { OperatorError } from '#src/base/errors.js';
import { packageRoot } from '#src/base/package-root.js';
import { until } from '../../support/until.js';

/** Locks the folders that it reads, answers 1 or 0 for each, and lives on. */
const OWNER = `
  import { lockDataFolder } from ${JSON.stringify(`${packageRoot()}/dist/platform/database/embedded/data-folder-lock.js`)};
  setInterval(() => undefined, 1000);
  process.stdout.write('ready');
  process.stdin.on('data', async (data) => {
    const folders = data.toString().trim().split(' ');
    const got = [];
    for (const folder of folders) got.push(await lockDataFolder(folder).then(() => 1, (error) => (error.name === 'OperatorError' ? 0 : error.stack)));
    process.stdout.write('\\n' + got.join(' '));
  });`;

/** Has numbers of processes of its own, as a container has: the first one is 1. */
const APART = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child', '--net'];

describe('the lock of a data folder', function () {
  this.timeout(120_000);
  let folder: string;
  const started: ChildProcess[] = [];
  const file = (): string => join(folder, 'pathmend.lock');

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pathmend-lock-'));
  });

  afterEach(async () => {
    for (const child of started.splice(0)) await end(child);
    await rm(folder, { recursive: true });
  });

  async function end(child: ChildProcess): Promise<void> {
    const closed = once(child, 'close');
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await closed;
  }

  async function owner(
    ...before: string[]
  ): Promise<{ child: ChildProcess; lock: (folders: readonly string[]) => Promise<number[]> }> {
    // Without anything before it, `env` starts it as it is.
    const child = spawn('env', [...before, process.execPath, '--input-type=module', '--eval', OWNER], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    started.push(child);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await until('it is ready', () => output.includes('ready'));
    return {
      child,
      lock: async (folders) => {
        output = '';
        child.stdin.write(folders.join(' '));
        await until(
          'it has answered',
          () => output.trim().split(' ').length === folders.length && output.startsWith('\n'),
          60_000,
        );
        return output.trim().split(' ').map(Number);
      },
    };
  }

  it('is held by one at a time, and leaves nothing behind', async () => {
    const lock = await lockDataFolder(folder);
    const second = await lockDataFolder(folder).catch((error: unknown) => error);
    expect(second).to.be.instanceOf(OperatorError);
    expect(String(second)).to.contain(`in use by another pathmend process (pid ${process.pid})`);
    lock.release();
    expect(readdirSync(folder)).to.deep.equal([]);
    (await lockDataFolder(folder)).release();
  });

  it('makes the folder when there is none, however long its path', async () => {
    const deep = join(folder, 'new', ...Array.from({ length: 5 }, () => 'x'.repeat(60)));
    const lock = await lockDataFolder(deep);
    expect(existsSync(join(deep, 'pathmend.lock'))).to.be.true;
    expect(await lockDataFolder(deep).catch((error: unknown) => error)).to.be.instanceOf(OperatorError);
    lock.release();
    expect(readdirSync(deep)).to.deep.equal([]);
  });

  it('that an earlier release left as a file is taken over', async () => {
    writeFileSync(file(), JSON.stringify({ pid: process.pid, started: 'another boot/1' }));
    (await lockDataFolder(folder)).release();
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('is not taken from its owner by the release of one who lost it', async () => {
    const lock = await lockDataFolder(folder);
    await rm(file());
    const other = await lockDataFolder(folder);
    lock.release();
    expect(await lockDataFolder(folder).catch((error: unknown) => error)).to.be.instanceOf(OperatorError);
    other.release();
  });

  it('of a dead process goes to exactly one of many that want it', async () => {
    const folders = Array.from({ length: 100 }, (_, at) => join(folder, String(at)));
    for (const each of folders) mkdirSync(each);
    const killed = await owner();
    expect(await killed.lock(folders)).to.deep.equal(folders.map(() => 1));
    await end(killed.child);
    expect(existsSync(join(folder, '99/pathmend.lock'))).to.be.true;

    const rivals = await Promise.all(Array.from({ length: 6 }, () => owner()));
    // Nobody ends before all have answered: an owner that ended would be taken over, rightly.
    const got = await Promise.all(rivals.map(({ lock }) => lock(folders)));
    const owners = folders.map((_, at) => got.reduce((sum, each) => sum + (each[at] ?? 0), 0));
    expect(owners).to.deep.equal(folders.map(() => 1));
  });

  describe('between containers, whose processes are all number 1 (only where `unshare` may make such namespaces)', () => {
    before(function () {
      const { status, stderr } = spawnSync('unshare', [...APART, 'true'], { encoding: 'utf8' });
      if (status === 0) return;
      console.log(`      left out: unshare is not permitted here${stderr ? `: ${stderr.trim()}` : ''}`);
      this.skip();
    });

    it('is held by one, and goes to exactly one when that was killed', async () => {
      const [first, second, third] = await Promise.all([
        owner('unshare', ...APART),
        owner('unshare', ...APART),
        owner('unshare', ...APART),
      ]);
      expect(await first.lock([folder])).to.deep.equal([1]);
      expect(await second.lock([folder])).to.deep.equal([0]);
      await end(first.child);
      await until('its process is gone', () => third.lock([folder]).then(([got]) => got === 1));
      expect(await lockDataFolder(folder).catch((error: unknown) => String(error))).to.contain('(pid 1');
    });
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { lockDataFolder } from '#src/database/embedded/lock.js';
import { OperatorError } from '#src/errors.js';
import { packageRoot } from '#src/package-root.js';
import { cliJson, runCli, startServer } from '../support/processes.js';
import { send } from '../support/service.js';

describe('the data folder of the embedded database', function () {
  this.timeout(120_000);
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'pathmend-folder-'));
  });

  afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

  it('serves one server: a second is refused in words, and commands work beside the first', async () => {
    const environment = { DATA_DIR: join(root, 'data') };
    const server = await startServer(environment);
    const second = await runCli(['serve'], { ...environment, PORT: '0' });
    expect(second.code).to.equal(1);
    expect(second.stderr).to.include(`is in use by another pathmend process (pid ${server.pid})`);
    expect(second.stderr).not.to.include('    at ');
    expect(await cliJson(['project', 'create', '--name', 'beside'], environment)).to.include({ name: 'beside' });
    expect((await send(server.url, 'GET', '/readyz')).status).to.equal(200);
    expect(await server.end('SIGTERM')).to.equal(0);
    expect(existsSync(join(root, 'data/pathmend.lock'))).to.be.false;
  });

  it('of a server that was killed is taken over by the next', async () => {
    const environment = { DATA_DIR: join(root, 'data') };
    const killed = await startServer(environment);
    await cliJson(['project', 'create', '--name', 'kept'], environment);
    expect(await killed.end('SIGKILL')).to.be.null;
    expect(existsSync(join(root, 'data/pathmend.lock'))).to.be.true;
    const next = await startServer(environment);
    expect(await cliJson(['project', 'show', '--project', 'kept'], environment)).to.include({ name: 'kept' });
    expect(await next.end('SIGTERM')).to.equal(0);
  });

  it('that was being laid out when its first start was cut off is laid out anew by the next', async () => {
    const unfinished = join(root, 'data/postgres.unfinished');
    mkdirSync(join(unfinished, 'base'), { recursive: true });
    writeFileSync(join(unfinished, 'PG_VERSION'), 'half of');
    const server = await startServer({ DATA_DIR: join(root, 'data') });
    expect((await send(server.url, 'GET', '/readyz')).status).to.equal(200);
    expect(existsSync(unfinished)).to.be.false;
    expect(await server.end('SIGTERM')).to.equal(0);
  });

  it('is its owner\'s alone', async () => {
    const server = await startServer({ DATA_DIR: join(root, 'data') });
    expect(statSync(join(root, 'data/postgres')).mode & 0o777).to.equal(0o700);
    expect(await server.end('SIGTERM')).to.equal(0);
  });

  it('may have a path longer than a Unix socket\'s', async () => {
    const environment = { DATA_DIR: join(root, ...Array.from({ length: 8 }, (_, at) => `folder-${at}-`.padEnd(40, 'x'))) };
    expect(environment.DATA_DIR.length).to.be.above(300);
    const server = await startServer(environment);
    expect(await cliJson(['project', 'create', '--name', 'far'], environment)).to.include({ name: 'far' });
    expect((await send(server.url, 'GET', '/readyz')).status).to.equal(200);
    expect(await server.end('SIGTERM')).to.equal(0);
  });
});

describe('the lock of a data folder', () => {
  let folder: string;
  const file = (): string => join(folder, 'pathmend.lock');

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pathmend-lock-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('is held by one at a time, and leaves nothing behind', () => {
    const lock = lockDataFolder(folder);
    expect(() => lockDataFolder(folder)).to.throw(OperatorError, `in use by another pathmend process (pid ${process.pid})`);
    lock.release();
    expect(readdirSync(folder)).to.deep.equal([]);
    lockDataFolder(folder).release();
  });

  it('makes the folder when there is none', () => {
    lockDataFolder(join(folder, 'new/deep')).release();
    expect(existsSync(join(folder, 'new/deep'))).to.be.true;
  });

  it('of a process whose number another one has by now is taken over (only where /proc tells when a process began)', function () {
    if (!existsSync('/proc/self/stat')) this.skip();
    writeFileSync(file(), JSON.stringify({ pid: process.pid, started: 'another boot/1' }));
    lockDataFolder(folder).release();
  });

  it('is not taken from its owner by the release of one who lost it', () => {
    const lock = lockDataFolder(folder);
    const owner = JSON.stringify({ pid: process.ppid, started: '' });
    writeFileSync(file(), owner);
    lock.release();
    expect(existsSync(file())).to.be.true;
  });

  it('of a dead process goes to exactly one of many that want it', async function () {
    this.timeout(120_000);
    const script = `
      import { lockDataFolder } from ${JSON.stringify(`${packageRoot()}/dist/database/embedded/lock.js`)};
      process.stdout.write('ready');
      process.stdin.once('data', (data) => {
        const folders = data.toString().trim().split(' ');
        const got = folders.map((folder) => { try { lockDataFolder(folder); return 1; } catch { return 0; } });
        process.stdout.write('\\n' + got.join(' '));
      });`;
    const rivals = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
        let said = '';
        child.stdout.on('data', (chunk: Buffer) => { said += chunk.toString(); });
        await once(child.stdout, 'data');
        return { child, said: () => said };
      }),
    );
    const folders = Array.from({ length: 100 }, (_, at) => join(folder, String(at)));
    for (const each of folders) {
      mkdirSync(each);
      writeFileSync(join(each, 'pathmend.lock'), JSON.stringify({ pid: 2 ** 22 + 1, started: 'gone' }));
    }
    const answers = rivals.map(async ({ child, said }) => {
      child.stdin.write(folders.join(' '));
      while (!said().includes('\n')) await once(child.stdout, 'data');
      return said().split('\n')[1]?.split(' ').map(Number) ?? [];
    });
    // Nobody ends before all have answered: an owner that ended would be taken over, rightly.
    const got = await Promise.all(answers);
    for (const { child } of rivals) child.kill();
    const owners = folders.map((_, at) => got.reduce((sum, each) => sum + (each[at] ?? 0), 0));
    expect(owners).to.deep.equal(folders.map(() => 1));
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { cliJson, runCli, startServer } from '../support/processes.js';
import { saidAloud } from '../support/said-aloud.js';
import { send } from '../support/service.js';
import { until } from '../support/until.js';

describe('the first start of serve (on the embedded database)', function () {
  this.timeout(180_000);
  let root: string;
  let folder: string;
  const inFolder = (path: string): string => join(folder, path);

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'pathmend-start-'));
    folder = join(root, 'data');
  });

  afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

  async function interrupt(
    signal: NodeJS.Signals,
    reached: (log: string) => boolean,
  ): Promise<{ code: number; ms: number; stdout: string }> {
    const child = spawn(process.execPath, [join(packageRoot(), 'dist/cli.js'), 'serve', '--demo'], {
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'debug' },
    });
    const closed = once(child, 'close');
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    await until('the start has come so far', () => reached(stderr) || child.exitCode !== null, 60_000);
    const from = performance.now();
    child.kill(signal);
    const [code] = (await closed) as [number];
    saidAloud(stderr);
    return { code, ms: performance.now() - from, stdout };
  }

  it('ends soon when it is interrupted, wherever it is, says nothing more, and leaves a folder that the next start goes on with', async () => {
    const phases: [string, NodeJS.Signals, (log: string) => boolean][] = [
      ['has locked the folder', 'SIGINT', () => existsSync(inFolder('pathmend.lock'))],
      ['has laid the database out', 'SIGTERM', () => existsSync(inFolder('postgres/PG_VERSION'))],
      ['has started the database', 'SIGINT', () => existsSync(inFolder('socket/.s.PGSQL.5432'))],
      ["serves, and makes the demo's project", 'SIGTERM', (log) => log.includes('"message":"serving"')],
    ];
    for (const [at, [phase, signal, reached]] of phases.entries()) {
      folder = join(root, String(at));
      const { code, ms, stdout } = await interrupt(signal, reached);
      expect(code, phase).to.equal(0);
      expect(stdout, phase).to.equal('');
      // 1.5 s at most for what is in work; without an end to that it took 9 to 15.
      expect(ms, phase).to.be.below(5_000);
      expect(await cliJson(['project', 'create', '--name', 'next'], { DATA_DIR: folder }), phase).to.include({
        name: 'next',
      });
    }
    const server = await startServer({ DATA_DIR: folder });
    expect((await send(server.url, 'GET', '/readyz')).status).to.equal(200);
    expect(await server.end('SIGTERM')).to.equal(0);
  });

  it('is over at once where the port is taken: nothing has been made yet', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { code, stderr } = await runCli(['serve'], { DATA_DIR: folder, PORT: String(port) });
    taken.close();
    expect(code).to.equal(1);
    expect(stderr)
      .to.contain(`cannot listen on HOST 127.0.0.1, PORT ${port}: another process does.`)
      .and.not.match(/^\s+at /m);
    expect(existsSync(folder)).to.be.false;
  });

  it('says the same where the port is taken meanwhile', async () => {
    const rival = createServer().listen(0, '127.0.0.1');
    await once(rival, 'listening');
    const { port } = rival.address() as AddressInfo;
    await new Promise((done) => rival.close(done));
    const ended = runCli(['serve'], { DATA_DIR: folder, PORT: String(port) });
    await until('the database has started', () => existsSync(inFolder('socket/.s.PGSQL.5432')), 60_000);
    rival.listen(port, '127.0.0.1');
    const { code, stderr } = await ended;
    rival.close();
    expect(code).to.equal(1);
    expect(stderr).to.contain(`cannot listen on HOST 127.0.0.1, PORT ${port}: another process does.`);
  });
});

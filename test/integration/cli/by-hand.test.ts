import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { createTestDatabase, onServer, type TestDatabase } from '../../support/database.js';
import { shellBlocks, typeBlock } from '../../support/document.js';
import { saidAloud } from '../../support/said-aloud.js';
import { send } from '../../support/service.js';
import { until } from '../../support/until.js';

describe('an api and a worker by hand, as install.md types them (on a server only)', function () {
  this.timeout(120_000);
  let database: TestDatabase | undefined;
  const started: ChildProcess[] = [];
  /** Nobody else's, so that the default port is free on it. */
  const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(2, 255)}`;

  before(async function () {
    if (!onServer()) this.skip();
    const probe = createServer().listen(8080, host);
    const free = await Promise.race([
      once(probe, 'listening').then(() => true),
      once(probe, 'error').then(() => false),
    ]);
    probe.close();
    if (!free) {
      console.log(`      left out: port 8080 cannot be had on ${host}`);
      this.skip();
    }
    database = await createTestDatabase();
  });

  after(async () => {
    for (const child of started) {
      const closed = once(child, 'close');
      if (child.exitCode === null && child.kill('SIGKILL')) await closed;
    }
    await database?.drop();
  });

  /** Types a command that goes on; resolves with the address that it prints. */
  async function goOn(line: string, env: Record<string, string>): Promise<string> {
    const child = spawn('bash', ['-c', `exec ${line}`], { cwd: packageRoot(), env });
    started.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    await until(`it serves: ${line}`, () => output.includes('pathmend serves at') || child.exitCode !== null, 60_000);
    saidAloud(output);
    return /pathmend serves at (\S+)/.exec(output)?.[1] ?? output;
  }

  it('both serve at once, and each says where', async () => {
    const block =
      (await shellBlocks('docs/start/install.md', 'By hand')).find((candidate) =>
        candidate.includes('--role worker'),
      ) ?? '';
    const commands = block.split('\n').filter((line) => line.startsWith('node '));
    const env = { PATH: process.env['PATH'] ?? '', HOST: host, ...database?.environment };
    const [first = '', ...lasting] = commands;
    expect((await typeBlock(first, { cwd: packageRoot(), env })).code).to.equal(0);
    expect(lasting.map((line) => line.split('#')[0]?.trim())).to.deep.equal([
      'node dist/cli.js serve --role api',
      'node dist/cli.js serve --role worker',
    ]);
    const [api = '', worker = ''] = await Promise.all(lasting.map((line) => goOn(line, env)));
    expect(api).to.equal(`http://${host}:8080`);
    expect(worker)
      .to.match(/^http:\S+:\d+$/)
      .and.not.equal(api);
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await send(worker, 'GET', path)).status, path).to.equal(200);
  });

  it('a worker starts beside the api with the same PORT, on its own WORKER_PORT where that is set', async () => {
    const env = { PATH: process.env['PATH'] ?? '', HOST: host, PORT: '8080', ...database?.environment };
    expect(await goOn('node dist/cli.js serve --role worker', env)).to.match(/^http:\S+:\d+$/);
    const workerEnvironment = { ...env, WORKER_PORT: '8081' };
    expect(await goOn('node dist/cli.js serve --role worker', workerEnvironment)).to.equal(`http://${host}:8081`);
  });
});

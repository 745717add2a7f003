import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { layOutMigrated } from '../support/migrated-folder.js';
import { cliJson, runCli, startServer } from '../support/processes.js';
import { send } from '../support/service.js';

describe('the data folder of the embedded database', function () {
  this.timeout(120_000);
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'pathmend-folder-'));
  });

  /** One that served before. */
  async function migrated(folder: string): Promise<{ DATA_DIR: string }> {
    await layOutMigrated(folder);
    return { DATA_DIR: folder };
  }

  afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

  it('serves one server: a second is refused in words, and commands work beside the first', async () => {
    const environment = await migrated(join(root, 'data'));
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

  it('that was being laid out when its first start was cut off is laid out anew by the next, for its owner alone', async () => {
    const unfinished = join(root, 'data/postgres.unfinished');
    mkdirSync(join(unfinished, 'base'), { recursive: true });
    writeFileSync(join(unfinished, 'PG_VERSION'), 'half of');
    const server = await startServer({ DATA_DIR: join(root, 'data') });
    expect((await send(server.url, 'GET', '/readyz')).status).to.equal(200);
    expect(existsSync(unfinished)).to.be.false;
    expect(statSync(join(root, 'data/postgres')).mode & 0o777).to.equal(0o700);
    expect(await server.end('SIGTERM')).to.equal(0);
  });

  it("may have a path longer than a Unix socket's", async () => {
    const environment = {
      DATA_DIR: join(root, ...Array.from({ length: 8 }, (_, at) => `folder-${at}-`.padEnd(40, 'x'))),
    };
    expect(environment.DATA_DIR.length).to.be.above(300);
    const server = await startServer(environment);
    expect(await cliJson(['project', 'create', '--name', 'far'], environment)).to.include({ name: 'far' });
    expect((await send(server.url, 'GET', '/readyz')).status).to.equal(200);
    expect(await server.end('SIGTERM')).to.equal(0);
  });

  it('that lost its PG_VERSION, or is of PostgreSQL itself, is refused: it would begin anew, over what is left', async () => {
    const environment = await migrated(join(root, 'data'));
    const server = await startServer(environment);
    expect(await server.end('SIGTERM')).to.equal(0);
    rmSync(join(root, 'data/postgres/PG_VERSION'));
    const damaged = await runCli(['serve'], { ...environment, PORT: '0' });
    expect(damaged.code).to.equal(1);
    expect(damaged.stderr)
      .to.include('there are files, but not PG_VERSION. Put back a whole copy')
      .and.not.match(/^\s+at /m);
    expect(existsSync(join(root, 'data/postgres/PG_VERSION'))).to.be.false;
    writeFileSync(join(root, 'data/postgres/PG_VERSION'), '18\n');
    const inside = await runCli(['serve'], { DATA_DIR: join(root, 'data/postgres'), PORT: '0' });
    expect(inside.code).to.equal(1);
    expect(inside.stderr).to.include("is itself a folder of PostgreSQL's files");
  });

  const strangers: [string, (folder: string) => void][] = [
    [
      'is open to others',
      (folder) => {
        mkdirSync(folder);
        chmodSync(folder, 0o777);
      },
    ],
    [
      'leads elsewhere',
      (folder) => {
        mkdirSync(`${folder}-elsewhere`, { mode: 0o700 });
        symlinkSync(`${folder}-elsewhere`, folder);
      },
    ],
    [
      "is another user's (only where a test may give it away)",
      (folder) => {
        mkdirSync(folder, { mode: 0o700 });
        chownSync(folder, 12_345, 12_345);
      },
    ],
  ];
  for (const [what, make] of strangers) {
    it(`with a path longer than a Unix socket's is not served in a temporary folder that ${what}`, async function () {
      if (what.includes('another user') && process.getuid?.() !== 0) this.skip();
      const environment = { TMPDIR: join(root, 'tmp'), ...(await migrated(join(root, 'data'.padEnd(90, 'x')))) };
      mkdirSync(environment.TMPDIR);
      const server = await startServer(environment);
      const [name = ''] = readdirSync(environment.TMPDIR);
      expect(name).to.match(/^pathmend-/);
      expect(await server.end('SIGTERM')).to.equal(0);
      const sockets = join(environment.TMPDIR, name);
      rmSync(sockets, { recursive: true });
      make(sockets);
      const refused = await runCli(['serve'], { ...environment, PORT: '0' });
      expect(refused.code).to.equal(1);
      expect(refused.stderr)
        .to.include(`${sockets}, which is for the embedded database's socket, is not this user's alone`)
        .and.not.match(/^\s+at /m);
    });
  }
});

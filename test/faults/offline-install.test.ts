import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, link, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { clientPrograms } from '../support/administrator.js';
import { onServer } from '../support/database.js';
import { shellBlocks, typeBlock } from '../support/document.js';
import { createEmptyNetwork, emptyNetworkRefusal, type EmptyNetwork } from '../support/empty-network.js';
import { createOwnServer, ownServerRoot, type OwnServer } from '../support/own-server.js';
import type { Finished } from '../support/processes.js';
import { mustStaySecret } from '../support/said-aloud.js';

const ARCHIVE = 'pathmend-1.0.0-linux.tar.gz';
const DOCUMENT = 'docs/start/install.md';
const DEB = 'pathmend_1.0.0_all.deb';
/** The folders in which systemd looks for a program that a unit names without its folder. */
const SYSTEMD_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const COMMIT = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
  cwd: packageRoot(),
  encoding: 'utf8',
}).trim();
const VERSION = `1.0.0 (commit ${COMMIT})`;
const NAMES = {
  PGHOST: '127.0.0.1',
  PGUSER: 'postgres',
  DATABASE: 'pathmend',
  OWNER: 'pathmend',
  OWNER_PASSWORD: 'of the owner, with blanks',
  API: 'pathmend_api',
  API_PASSWORD: 'of the api, with blanks',
};

describe("install.md, typed where there is no network (root, `unshare`, scripts/postgres's server)", function () {
  this.timeout(1_200_000);
  let folder: string;
  let network: EmptyNetwork | undefined;
  let server: OwnServer | undefined;
  let programs: string;
  const services: ChildProcess[] = [];

  before(async function () {
    // It takes minutes, and is the same on either database.
    if (!onServer() || ownServerRoot() === undefined) this.skip();
    const refusal = emptyNetworkRefusal();
    if (refusal !== undefined) {
      if (process.env['CI'] === 'true') throw new Error(refusal);
      console.log(`      left out: ${refusal}`);
      this.skip();
    }
    programs = (await clientPrograms()) ?? '';
    Object.values(NAMES)
      .filter((name) => name.startsWith('of the '))
      .forEach(mustStaySecret);
    folder = await mkdtemp(join(tmpdir(), 'pathmend-offline-'));
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'release', '-f', join(folder, 'key')]);
    await mkdir(join(folder, 'etc'));
    await mkdir(join(folder, 'carried'));
    await Promise.all(['carried', 'again'].map(make));
    const [, signers] = await shellBlocks(DOCUMENT, 'Make the release');
    await type(signers, join(folder, 'carried'), { KEY: join(folder, 'key') }, []);
    network = await createEmptyNetwork(join(folder, 'etc'));
    server = await createOwnServer({
      within: network.within,
      access: ['host all postgres 127.0.0.1/32 trust', 'host all all 127.0.0.1/32 scram-sha-256'],
    });
  });

  after(async () => {
    for (const service of services) if (service.exitCode === null) service.kill('SIGKILL');
    await server?.remove();
    await network?.end();
    if (folder) await rm(folder, { recursive: true });
  });

  async function make(to: string): Promise<void> {
    const [block] = await shellBlocks(DOCUMENT, 'Make the release');
    const environment = {
      ...(process.env as Record<string, string>),
      KEY: join(folder, 'key'),
      OUT: join(folder, to),
      // The image is what scripts/compose/try.sh tries.
      DOCKER_HOST: `unix://${folder}/no-engine`,
    };
    const { stderr } = await type(block, packageRoot(), environment, []);
    expect(stderr).to.include('no Docker Engine answers here, so the image is left out');
  }

  async function type(
    block: string | undefined,
    cwd: string,
    env: Record<string, string>,
    within = network?.within ?? [],
  ): Promise<Finished> {
    const finished = await typeBlock(block ?? '', { cwd, env: { PATH: process.env['PATH'] ?? '', ...env }, within });
    if (finished.code !== 0) throw new Error(`${block}\nended with code ${finished.code}: ${finished.stderr}`);
    return finished;
  }

  /** Runs what a unit of deploy/systemd runs, with its environment and password, and nothing else of systemd. */
  async function runUnit(name: string): Promise<ChildProcess> {
    const text = await readFile(join(packageRoot(), 'deploy/systemd', `${name}.service`), 'utf8');
    const of = (key: string): string[] =>
      [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
    const password = of('LoadCredential')[0]?.replace('password:', '') ?? '';
    const data = join(folder, name);
    await mkdir(data);
    const settings = [...of('Environment'), `DATA_DIR=${data}`, `PGPASSWORD_FILE=${password}`].join(' ');
    const line = `cd /opt/pathmend; set -a; . ${of('EnvironmentFile')[0] ?? ''}; set +a; exec env ${settings} ${of('ExecStart')[0] ?? ''}`;
    const bash = ['bash', '-euc', line];
    const [command = '', ...args] = network ? [...network.within, ...bash] : bash;
    const child = spawn(command, args, { env: { PATH: SYSTEMD_PATH }, stdio: ['ignore', 'pipe', 'inherit'] });
    services.push(child);
    return child;
  }

  /** Returns what was printed. */
  async function refused(change: (carried: string) => Promise<void>): Promise<string> {
    const carried = join(folder, 'changed');
    await cp(join(folder, 'carried'), carried, { recursive: true });
    await change(carried);
    const [block = ''] = await shellBlocks(DOCUMENT, 'Verify and unpack');
    const { code, stdout } = await typeBlock(block, {
      cwd: carried,
      env: { PATH: process.env['PATH'] ?? '' },
      within: network?.within ?? [],
    });
    await rm(carried, { recursive: true });
    expect(code).to.not.equal(0);
    expect((await type('ls /opt', folder, {})).stdout, 'nothing is unpacked').to.equal('');
    return stdout;
  }

  it('a bundle of which one bit was changed is refused', async () => {
    const stdout = await refused(async (carried) => {
      const bytes = await readFile(join(carried, ARCHIVE));
      const middle = bytes.length >> 1;
      bytes[middle] = (bytes[middle] ?? 0) ^ 1;
      await writeFile(join(carried, ARCHIVE), bytes);
    });
    expect(stdout).to.include(`${ARCHIVE}: FAILED`);
  });

  it("so is one with a stranger's signature", async () => {
    const stdout = await refused(async (carried) => {
      const key = join(carried, 'stranger');
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
      await rm(join(carried, 'SHA256SUMS.sig'));
      execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-n', 'pathmend', '-f', key, join(carried, 'SHA256SUMS')]);
    });
    expect(stdout).to.not.include('Good');
  });

  it('it is verified, installed and started, and suggests a page that was pushed', async () => {
    const [unpack] = await shellBlocks(DOCUMENT, 'Verify and unpack');
    expect((await type(unpack, join(folder, 'carried'), {})).stdout).to.include('Good "pathmend" signature');
    const administrator = { ...NAMES, PGPORT: String(server?.port), PATH: `${programs}:${process.env['PATH'] ?? ''}` };
    const [createDatabase, createLogins] = await shellBlocks('docs/operate/database.md', 'Database roles');
    const psql = 'cd /opt/pathmend\n';
    for (const block of [createDatabase, createLogins]) await type(`${psql}${block}`, folder, administrator);
    const [settings] = await shellBlocks(DOCUMENT, 'Database and settings');
    await type(settings, folder, administrator);

    const [code] = (await once(await runUnit('pathmend-migrate'), 'exit')) as [number | null];
    expect(code).to.equal(0);
    const started = await Promise.all(['pathmend-api', 'pathmend-worker'].map(runUnit));
    await Promise.all(started.map((child) => once(createInterface(child.stdout ?? process.stdin), 'line')));
    const [attempt] = await shellBlocks(DOCUMENT, 'Try it');
    const { stdout } = await type(attempt, folder, { HOME: folder });
    expect(stdout).to.include('"url":"/guides/flat-tyre"');

    for (const child of started) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await ended).to.deep.equal([0, null]);
    }
  });

  it('npm installs it without a registry in an empty folder, from an empty cache, with all that it needs', async () => {
    const [, , install = ''] = await shellBlocks(DOCUMENT, 'Verify and unpack');
    const empty = join(folder, 'npm');
    await mkdir(empty);
    await link(join(folder, 'carried', ARCHIVE), join(empty, ARCHIVE));
    const env = { HOME: empty, npm_config_cache: join(empty, 'cache'), npm_config_userconfig: join(empty, 'npmrc') };
    expect((await type(install, empty, env)).stdout).to.include(`\n${VERSION}\n`);
    const lines = [
      'cd node_modules/pathmend; sha256sum --check --quiet SHA256SUMS; cd ../..',
      'set -a; . /etc/pathmend/owner.env; PGPASSWORD_FILE=/etc/pathmend/owner-password; set +a',
      'npx pathmend pages list --project mysite',
    ];
    const { stdout } = await type(lines.join('\n'), empty, env);
    expect(stdout).to.include('/guides/flat-tyre');
    await rm(empty, { recursive: true });
  });

  it('the package for Debian is installed, upgraded and removed by dpkg, runs, and leaves the settings until a purge', async () => {
    const [, install = ''] = await shellBlocks(DOCUMENT, 'Verify and unpack');
    const admin = join(folder, 'dpkg');
    // Beside the machine's own packages and units: copies that are forgotten with this mount namespace.
    const lines = [
      'for at in /opt /usr/lib/systemd /run; do mount -t tmpfs none $at; done; rm -rf /etc/pathmend',
      `cp -a /var/lib/dpkg ${admin}; mount --bind ${admin} /var/lib/dpkg`,
      install,
      'test -d /etc/pathmend; ls /usr/lib/systemd/system; dpkg --verify pathmend',
      '(cd /opt/pathmend; node dist/cli.js --version; sha256sum --check --quiet SHA256SUMS)',
      'echo A=1 >/etc/pathmend/api.env',
      install,
      'dpkg --remove pathmend; test ! -e /opt/pathmend; test -f /etc/pathmend/api.env',
      'dpkg --purge pathmend; test ! -e /etc/pathmend',
      'find /usr/lib/systemd -name "pathmend*"; echo removed',
    ];
    const within = [...(network?.within ?? []), 'unshare', '--mount'];
    const env = { PATH: `${SYSTEMD_PATH}:${process.env['PATH'] ?? ''}` };
    const { stdout, stderr } = await type(lines.join('\n'), join(folder, 'carried'), env, within);
    expect(stderr).to.not.match(/error|no node/);
    for (const unit of ['api.service', 'worker.service', 'migrate.service', 'backup.timer'])
      expect(stdout).to.include(`pathmend-${unit}`);
    expect(stdout).to.include(`\n${VERSION}\n`);
    expect(stdout.trim()).to.match(/Purging[^\n]*\nremoved$/);
  });

  it('made twice from the same commit, it has the same bytes and signature', async () => {
    for (const name of [ARCHIVE, DEB, 'SHA256SUMS', 'SHA256SUMS.sig'])
      expect(await digest(join(folder, 'again', name)), name).to.equal(await digest(join(folder, 'carried', name)));
  });
});

async function digest(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}

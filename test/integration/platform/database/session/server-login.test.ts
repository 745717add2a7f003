import { execFile } from 'node:child_process';
import { randomUUID, X509Certificate } from 'node:crypto';
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { loadConfig } from '#src/platform/settings/config.js';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { startService, type Service } from '#src/app/service.js';
import { createOwnServer, skipsOwnServers, type OwnServer } from '../../../../support/own-server.js';
import { cliJson, runCli } from '../../../../support/processes.js';
import { keptLog, mustStaySecret } from '../../../../support/said-aloud.js';
import { newProject, send } from '../../../../support/service.js';
import { until } from '../../../../support/until.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

const run = promisify(execFile);
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

async function makeCa(folder: string, name: string): Promise<void> {
  const request = ['req', '-x509', ...KEY, '-keyout', `${name}.key`, '-out', `${name}.crt`];
  await run('openssl', [...request, '-subj', `/CN=${name} CA`, '-days', '2'], { cwd: folder });
}

/** `server.crt` and `server.key` for localhost. */
async function makeCertificate(folder: string, ca: string, days = '2'): Promise<void> {
  const openssl = (...args: string[]): Promise<unknown> => run('openssl', args, { cwd: folder });
  await openssl('req', ...KEY, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost');
  await writeFile(join(folder, 'names'), 'subjectAltName=DNS:localhost');
  const by = ['-CA', `${ca}.crt`, '-CAkey', `${ca}.key`, '-CAcreateserial', '-days', days, '-extfile', 'names'];
  await openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.crt', ...by);
}

const NOT_TRUSTED = /a CA that is not trusted here .*sslrootcert=/;

describe('a server that asks for TLS and a password (one of the test, in the chroot of scripts/postgres)', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  let server: OwnServer;
  let secret: string;
  const passwords = [`first:${randomUUID()}`, `second@/${randomUUID()}`];

  const asPathmend = (tail: string, host = 'localhost'): string =>
    `postgres://keeper@${host}:${server.port}/pathmend${tail}`;
  const verified = (): string => asPathmend(`?sslmode=verify-full&sslrootcert=${join(folder, 'ca.crt')}`);

  /** Replaces the password file in one step, as a mounted secret is replaced. */
  async function writeSecret(password = ''): Promise<void> {
    await writeFile(`${secret}.new`, `${password}\n`);
    await rename(`${secret}.new`, secret);
  }

  /** The server has this certificate from now on. */
  async function present(ca: string, days?: string): Promise<void> {
    await makeCertificate(folder, ca, days);
    // This writes into the existing files, which belong to the server's user. Node 24's copyFile would change their
    // owner.
    for (const name of ['server.crt', 'server.key'])
      await writeFile(join(server.folder, name), await readFile(join(folder, name)));
    server.reload();
    const { fingerprint256: wanted } = new X509Certificate(await readFile(join(folder, 'server.crt')));
    await until('the server has read it', async () => (await shown()) === wanted);
  }

  /** The fingerprint of the certificate that the server shows. */
  async function shown(): Promise<string | undefined> {
    const client = new pg.Client({ connectionString: server.url, ssl: { rejectUnauthorized: false } });
    await client.connect();
    const { stream } = (client as unknown as { connection: { stream: TLSSocket } }).connection;
    const { fingerprint256 } = stream.getPeerCertificate();
    await client.end();
    return fingerprint256;
  }

  async function asAdministrator(statement: string): Promise<unknown[]> {
    const client = await server.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  before(async function () {
    if (skipsOwnServers()) this.skip();
    for (const password of passwords) {
      mustStaySecret(password);
      mustStaySecret(encodeURIComponent(password));
    }
    secret = join(folder, 'password');
    for (const ca of ['ca', 'other']) await makeCa(folder, ca);
    await makeCertificate(folder, 'ca');
    const pem = (name: string): Promise<Buffer> => readFile(join(folder, name));
    server = await createOwnServer({
      files: { 'server.crt': await pem('server.crt'), 'server.key': await pem('server.key') },
      settings: ['ssl = on', 'password_encryption = scram-sha-256'],
      access: ['host all postgres 127.0.0.1/32 trust', 'hostssl all all 127.0.0.1/32 scram-sha-256'],
    });
    await asAdministrator(`create role keeper login superuser password '${passwords[0] ?? ''}'`);
    await asAdministrator('create database pathmend owner keeper');
    await writeSecret(passwords[0]);
  });

  after(async () => {
    if (skipsOwnServers()) return;
    await server.remove();
  });

  const migrate = (url: string, more: Record<string, string> = {}): Promise<{ code: number | null; stderr: string }> =>
    runCli(['migrate'], { DATABASE_URL: url, PGPASSWORD_FILE: secret, ...more });

  it('is spoken to by TLS, if the certificate is of the CA that is named and for the host that is asked', async () => {
    const { code, stderr } = await migrate(verified());
    expect(code, stderr).to.equal(0);
    const refused: [string, RegExp][] = [
      [asPathmend(`?sslmode=verify-full&sslrootcert=${join(folder, 'other.crt')}`), NOT_TRUSTED],
      [asPathmend('?sslmode=verify-full'), NOT_TRUSTED],
      [
        asPathmend(`?sslmode=verify-full&sslrootcert=${join(folder, 'ca.crt')}`, '127.0.0.1'),
        /for another host .*write a name of the certificate into the url/,
      ],
      [asPathmend(''), /no encryption/],
      [
        asPathmend('?sslmode=verify-full&sslrootcert=/nowhere/ca.crt'),
        /names the file "\/nowhere\/ca\.crt", which cannot be read/,
      ],
    ];
    for (const [url, reason] of refused) {
      const outcome = await migrate(url);
      expect([outcome.code, outcome.stderr], url).to.satisfy(
        ([at, text]: [number, string]) => at === 1 && reason.test(text),
      );
      expect(outcome.stderr.trim().split('\n'), outcome.stderr).to.have.length(1);
    }
  });

  it('asks for a password that was forgotten, in one line that says what to set', async () => {
    for (const args of [['migrate'], ['analyst', 'create', 'ann'], ['serve']]) {
      const { code, stderr } = await runCli(args, { DATABASE_URL: verified(), PORT: '0' });
      expect([code, stderr]).to.deep.equal([
        1,
        'The database asks for a password, and its url has none: set PGPASSWORD, or PGPASSWORD_FILE to a file with it.\n',
      ]);
    }
  });

  it('prints a url for a new analyst that logs in, whoever gave the command and wherever his password is', async () => {
    const name = `ann_${randomUUID().slice(0, 8)}`;
    const settings = { DATABASE_URL: verified(), PGPASSWORD_FILE: secret };
    const { url } = (await cliJson(['analyst', 'create', name], settings)) as { url: string };
    mustStaySecret(new URL(url).password);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    expect((await client.query('select current_user as login from analytics.version')).rows).to.deep.equal([
      { login: name },
    ]);
    await client.end();
  });

  it('has its url, CA and all, in a file', async () => {
    const file = join(folder, 'url');
    await writeFile(file, verified());
    const { code, stderr } = await runCli(['migrate'], { DATABASE_URL_FILE: file, PGPASSWORD_FILE: secret });
    expect(code, stderr).to.equal(0);
  });

  it('is refused, with what to do, when its certificate has expired, and taken again when it is renewed', async () => {
    await present('ca', '-1');
    const { code, stderr } = await migrate(verified());
    expect([code, stderr]).to.satisfy(
      ([at, text]: [number, string]) => at === 1 && /has expired.*renew it/.test(text) && text.split('\n').length === 2,
    );
    await present('ca');
    expect((await migrate(verified())).code).to.equal(0);
  });

  it('is served from on, jobs too, when the password changes and its file with it, without a restart', async () => {
    const config = loadConfig({ DATABASE_URL: verified(), PGPASSWORD_FILE: secret, PORT: '0', DATABASE_POOL: '3' });
    let service: Service | undefined;
    try {
      service = await startService({ config, role: 'all', logger: createLogger('warn', keptLog('nothing')) });
      const project = await newProject(service);
      const sessions = `select count(*)::int as n from pg_stat_activity a join pg_stat_ssl s using (pid) where usename = 'keeper'`;
      expect(await asAdministrator(`${sessions} and not s.ssl`)).to.deep.equal([{ n: 0 }]);
      await asAdministrator(`alter role keeper password '${passwords[1] ?? ''}'`);
      await writeSecret(passwords[1]);
      // Every session begins anew, that of the jobs' listener too.
      await asAdministrator(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'keeper'`);
      const { url } = service;
      await until('it is ready again', async () => (await send(url, 'GET', '/readyz')).status === 200);
      await project.upsert({ url: 'https://rotated.example/a', content: 'A page that comes after the rotation.' });
      await project.indexed();
      await until('the listener of the jobs is back', async () => {
        const [row] = (await asAdministrator(`${sessions} and query ilike 'listen%'`)) as { n: number }[];
        return (row?.n ?? 0) > 0;
      });
      // Another CA: its certificate goes to the clients first, then the server's.
      await appendFile(join(folder, 'ca.crt'), await readFile(join(folder, 'other.crt')));
      await present('other');
      await asAdministrator(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'keeper'`);
      await until('it is ready again', async () => (await send(url, 'GET', '/readyz')).status === 200);
      await until('the listener of the jobs is back', async () => {
        const [row] = (await asAdministrator(`${sessions} and query ilike 'listen%'`)) as { n: number }[];
        return (row?.n ?? 0) > 0;
      });
      // A file that is away for a moment, or half written, changes nothing.
      await rm(secret);
      await asAdministrator(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'keeper'`);
      await until('it is ready again', async () => (await send(url, 'GET', '/readyz')).status === 200);
    } finally {
      await service?.stop();
    }
  });

  it('refuses a wrong password in one line that names the role, and no password', async () => {
    await writeSecret('wrong');
    const { code, stderr } = await migrate(verified());
    expect(code).to.equal(1);
    expect(stderr).to.match(
      /^The database refuses the login of the role "keeper" \(password authentication failed.*\n$/,
    );
  });
});

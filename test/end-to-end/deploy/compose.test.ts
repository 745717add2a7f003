import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { SECRETS } from '#src/platform/settings/secret-files.js';
import { SETTINGS } from '#src/platform/settings/settings.js';

const root = packageRoot();

/** Settings and variables that hold a password or a token, wholly or in part. */
const MAY_BE_SECRET = /(?:PASSWORD|SECRET|HEADERS|TOKEN|SMTP_URL)$/;
const SECRET = 'smtp://of-nobody:else@secret.example';
const HOLDS_PASSWORD = /:\/\/[^/@\s]*:[^/@\s]*@|[?&]password=/;

interface Composed {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
}
interface Service {
  image: string;
  build?: unknown;
  environment?: Record<string, string | null>;
  secrets?: { source: string }[];
  logging?: { options?: Record<string, string> };
  mem_limit?: string;
  cpus?: number;
  pids_limit?: number;
  security_opt?: string[];
  read_only?: boolean;
  network_mode?: string;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
  deploy?: { replicas?: number };
  tmpfs?: string[];
  volumes?: { type: string; source: string; target: string }[];
  ports?: { host_ip?: string; target: number; published?: string }[];
}

const fetched = join(process.env['PATHMEND_COMPOSE_DIR'] ?? '/var/tmp/pathmend-compose', 'bin/docker-compose');
const program = existsSync(fetched) ? fetched : 'docker-compose';
const PRODUCTION = ['docker-compose.yml', 'docker-compose.production.yml'];

/** The files as Compose takes them, all profiles, where these variables are set. */
function composed(files: readonly string[], variables: Record<string, string>, profile = '*'): Composed {
  const named = files.flatMap((name) => ['--file', join(root, name)]);
  const text = execFileSync(program, [...named, '--profile', profile, 'config', '--format', 'json'], {
    encoding: 'utf8',
    env: { ...variables, PATH: process.env['PATH'] ?? '', HOME: tmpdir() },
  });
  return JSON.parse(text) as Composed;
}

describe('the files of Compose (where docker-compose is: scripts/servers/compose.sh)', function () {
  this.timeout(60_000);
  let services: Record<string, Service>;
  let secrets: Composed['secrets'];

  before(function () {
    const version = spawnSync(program, ['version', '--short'], { encoding: 'utf8' });
    // `!reset` came with 2.24.
    if (version.error !== undefined || !/^(?:2\.(?:2[4-9]|[3-9]\d)|[3-9]\.|\d\d)/.test(version.stdout)) this.skip();
    // As for an operator who fills in all of .env.example.
    const names = readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^([A-Z_]+)=/gm);
    const filled = [...names]
      .filter(([, name = '']) => MAY_BE_SECRET.test(name))
      .map(([, name = '']) => [name, SECRET]);
    ({ services, secrets } = composed(PRODUCTION, {
      ...(Object.fromEntries(filled) as Record<string, string>),
      CONSOLE_PORT: '9090',
      SMTP_URL_FILE: '/srv/smtp-url',
      OIDC_CLIENT_SECRET_FILE: '/srv/oidc-client-secret',
    }));
  });

  it('is understood, with every service bounded in memory, processors, processes and logs', () => {
    expect(Object.keys(services)).to.include.members(['db', 'migrate', 'api', 'worker', 'backup', 'grafana']);
    for (const [name, service] of Object.entries(services)) {
      expect(service.logging?.options, name).to.have.keys('max-size', 'max-file');
      expect(Number(service.mem_limit), name).to.be.above(0);
      expect(service.pids_limit, name).to.be.above(0);
      if (name !== 'migrate') expect(service.cpus, name).to.be.above(0);
      expect(service.security_opt, name).to.include('no-new-privileges:true');
      if (name !== 'grafana') expect(service.read_only, name).to.equal(true);
      for (const port of service.ports ?? []) expect(port.host_ip, name).to.equal('127.0.0.1');
    }
  });

  it('has no secret in a variable, an argument or anywhere else, and builds nothing', () => {
    expect(JSON.stringify(services)).to.not.include(SECRET);
    for (const [name, { environment = {}, build }] of Object.entries(services)) {
      expect(build, name).to.equal(undefined);
      for (const [key, value] of Object.entries(environment)) {
        if (value !== null) expect(value, `${name}: ${key}`).to.not.match(HOLDS_PASSWORD);
        if (MAY_BE_SECRET.test(key)) expect(value, `${name}: ${key}`).to.be.oneOf(['', null, undefined]);
      }
    }
  });

  it('makes the roles before anything logs in, asks for them, and has no password of a superuser', () => {
    const { db, roles, migrate } = services;
    expect(roles?.network_mode).to.equal('service:db');
    expect(migrate?.depends_on?.['roles']?.condition).to.equal('service_completed_successfully');
    expect(db?.healthcheck?.test.join()).to.include('pg_roles').and.include('docker compose up roles');
    for (const [name, { environment = {} }] of Object.entries(services))
      expect(Object.keys(environment).join(), name).to.not.include('POSTGRES_PASSWORD');
  });

  it('reads each secret from the file that is mounted for it, and one that is not named from none', () => {
    const { api, worker } = services;
    expect(worker?.environment).to.include({ SMTP_URL_FILE: '/run/secrets/smtp_url' });
    expect(api?.environment).to.include({ OIDC_CLIENT_SECRET_FILE: '/run/secrets/oidc_client_secret' });
    expect(api?.environment?.['OTEL_EXPORTER_OTLP_HEADERS_FILE']).to.be.oneOf(['', null]);
    expect(secrets['smtp_url']?.file).to.equal('/srv/smtp-url');
    for (const [name, { environment = {}, secrets: mounted = [] }] of Object.entries(services))
      for (const [key, value] of Object.entries(environment))
        if (value?.startsWith('/run/secrets/') === true)
          expect(
            mounted.map(({ source }) => `/run/secrets/${source}`),
            `${name}: ${key}`,
          ).to.include(value);
  });

  it('has the console on the port that is asked for, on this machine only', () => {
    const port = services['api']?.ports?.find(({ target }) => target === 8081);
    expect(port).to.include({ host_ip: '127.0.0.1', published: '9090' });
    expect(services['api']?.environment).to.include({
      CONSOLE_PORT: '8081',
      CONSOLE_URL: 'http://localhost:9090/console',
    });
  });

  it('every variable of the service is a setting', () => {
    // PGUSER is the driver's, as PGPASSWORD is.
    const settings = [...Object.keys(SETTINGS), ...SECRETS.map((name) => `${name}_FILE`), 'PGUSER'];
    for (const name of ['migrate', 'api', 'worker'])
      expect(settings, name).to.include.members(Object.keys(services[name]?.environment ?? {}));
  });

  it('gives each documented setting that .env sets to the role that reads it', () => {
    const documented = [
      ...readFileSync(join(root, 'docs/reference/settings.md'), 'utf8').matchAll(/^\| `([A-Z_]+)` \|/gm),
    ];
    const names = documented.map(([, name = '']) => name);
    expect(names).to.have.members(Object.keys(SETTINGS));
    const all = Object.fromEntries(names.map((name, i) => [name, String(3_000 + i)]));
    const { api, worker } = composed(['docker-compose.yml'], all).services;
    const elsewhere: Record<string, RegExp> = { api: /^(?:SMTP_URL|MAIL_FROM)$/, worker: /^OIDC_|^CONSOLE_(?!URL)/ };
    for (const [role, service] of Object.entries({ api, worker }))
      for (const name of names.filter((name) => elsewhere[role]?.test(name) !== true && name !== 'CONSOLE_PORT'))
        expect(service?.environment?.[name], `${role}: ${name}`).to.equal(all[name]);
    expect(api?.ports?.map(({ target }) => target)).to.include(Number(all['PORT']));
  });

  it('gives the api no password of the owner, of analysts or of Grafana, and nobody that of another', () => {
    const passwords = Object.fromEntries(
      ['OWNER', 'API', 'ANALYST', 'GRAFANA'].map((of) => [`${of}_PASSWORD`, `the-one-of-${of}`]),
    );
    const holders: Partial<Record<string, string>> = {
      migrate: 'OWNER',
      api: 'API',
      worker: 'OWNER',
      roles: 'OWNER API ANALYST',
      grafana: 'ANALYST GRAFANA',
    };
    for (const files of [['docker-compose.yml'], PRODUCTION])
      for (const [name, service] of Object.entries(composed(files, passwords).services)) {
        const shown = [...JSON.stringify(service).matchAll(/the-one-of-(\w+)/g)].map(([, of]) => of);
        const may = files.length > 1 ? '' : (holders[name] ?? '');
        expect([...new Set(shown)].sort().join(' '), name).to.equal(may.split(' ').sort().join(' '));
        if (name !== 'api') continue;
        expect((service.secrets ?? []).map(({ source }) => source).join()).to.not.match(/owner|analyst|grafana/);
      }
  });

  const URL = 'postgres://db.company.example:6432/shop?sslmode=verify-full&sslrootcert=/ca.crt';
  for (const [how, variables, direct] of [
    ['one url', { DATABASE_URL: URL }, URL],
    ['urls of both roles', { OWNER_DATABASE_URL: URL, API_DATABASE_URL: URL }, URL],
    ['a pooler and the server behind', { DATABASE_URL: 'postgres://pooler:1/shop', DATABASE_DIRECT_URL: URL }, URL],
  ] as const)
    it(`has all parts use the database that .env names by ${how}, the backup too`, () => {
      const at = composed(PRODUCTION, { DATABASE_CA: '/srv/ca.crt', ...variables }).services;
      for (const name of ['migrate', 'api', 'worker'])
        expect(at[name]?.environment?.['DATABASE_URL'], name).to.equal(Object.values(variables)[0]);
      for (const name of ['backup', 'analytics', 'grafana'])
        expect(at[name]?.environment?.['DATABASE_URL'], name).to.equal(direct);
      for (const [name, { environment = {}, volumes = [], image }] of Object.entries(at)) {
        if (name !== 'roles') expect(JSON.stringify(environment), name).to.not.match(/@?\bdb:5432|"db"/);
        if (name !== 'db' && name !== 'roles')
          expect(volumes.find(({ target }) => target === '/ca.crt')?.source, `${name} ${image}`).to.equal(
            '/srv/ca.crt',
          );
      }
    });

  it('leaves no volume without a name behind, and bounds every log, also to try it out', () => {
    for (const files of [['docker-compose.yml'], PRODUCTION])
      for (const [name, { image, tmpfs = [], volumes = [], logging }] of Object.entries(composed(files, {}).services)) {
        expect(logging?.options, name).to.have.keys('max-size', 'max-file');
        // As the images declare them.
        const declared = image.startsWith('pgvector/')
          ? '/var/lib/postgresql'
          : image.startsWith('pathmend')
            ? '/data'
            : '';
        const places = [...tmpfs.map((mount) => mount.split(':')[0]), ...volumes.map(({ target }) => target)];
        if (declared !== '') expect(places, name).to.include(declared);
      }
  });

  it('opens the port for analysts without an image of Grafana, and keeps as many apis as .env says', () => {
    const at = composed(['docker-compose.yml'], { API_REPLICAS: '3', WORKER_REPLICAS: '2' }, 'analytics').services;
    expect(Object.keys(at)).to.include('analytics').and.not.include('grafana');
    expect([at['api'], at['worker']].map((service) => service?.deploy?.replicas)).to.deep.equal([3, 2]);
  });

  it("tells Grafana's data source where the database is, and whether its certificate is verified", () => {
    const sourceOf = (url: string): string =>
      execFileSync(
        'sh',
        [
          join(root, 'deploy/grafana/start.sh'),
          'sh',
          '-c',
          'echo "$PATHMEND_HOST $PATHMEND_DATABASE $PATHMEND_SSLMODE $PATHMEND_CA"',
        ],
        {
          encoding: 'utf8',
          env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: url, ANALYST_PASSWORD: 'x' },
        },
      ).trim();
    expect(sourceOf('postgres://db:5432/pathmend')).to.equal('db:5432 pathmend disable');
    expect(sourceOf(URL)).to.equal('db.company.example:6432 shop verify-full /ca.crt');
    expect(sourceOf('postgres://me@db.example/shop?application_name=x&sslmode=no-verify')).to.equal(
      'db.example shop require',
    );
    const read = readFileSync(join(root, 'deploy/grafana/provisioning/datasources/pathmend.yml'), 'utf8');
    for (const name of ['HOST', 'DATABASE', 'SSLMODE', 'CA']) expect(read).to.include(`$PATHMEND_${name}`);
  });
});

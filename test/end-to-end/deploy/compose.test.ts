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
  ports?: { host_ip?: string; target: number; published?: string }[];
}

describe('docker-compose.production.yml (where docker-compose is: scripts/servers/compose.sh)', function () {
  this.timeout(60_000);
  let services: Record<string, Service>;
  let secrets: Composed['secrets'];

  before(function () {
    const fetched = join(process.env['PATHMEND_COMPOSE_DIR'] ?? '/var/tmp/pathmend-compose', 'bin/docker-compose');
    const compose = existsSync(fetched) ? fetched : 'docker-compose';
    const found = spawnSync(compose, ['version', '--short'], { encoding: 'utf8' });
    // `!reset` came with 2.24.
    if (found.error !== undefined || !/^(?:2\.(?:2[4-9]|[3-9]\d)|[3-9]\.|\d\d)/.test(found.stdout)) this.skip();
    const files = ['docker-compose.yml', 'docker-compose.production.yml'].flatMap((name) => [
      '--file',
      join(root, name),
    ]);
    // As for an operator who fills in all of .env.example.
    const names = readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^([A-Z_]+)=/gm);
    const filled = [...names]
      .filter(([, name = '']) => MAY_BE_SECRET.test(name))
      .map(([, name = '']) => [name, SECRET]);
    const text = execFileSync(compose, [...files, '--profile', '*', 'config', '--format', 'json'], {
      encoding: 'utf8',
      env: {
        ...Object.fromEntries(filled),
        CONSOLE_PORT: '9090',
        SMTP_URL_FILE: '/srv/smtp-url',
        OIDC_CLIENT_SECRET_FILE: '/srv/oidc-client-secret',
        PATH: process.env['PATH'] ?? '',
        HOME: tmpdir(),
      },
    });
    ({ services, secrets } = JSON.parse(text) as Composed);
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
    const settings = [...Object.keys(SETTINGS), ...SECRETS.map((name) => `${name}_FILE`)];
    for (const name of ['migrate', 'api', 'worker'])
      expect(settings, name).to.include.members(Object.keys(services[name]?.environment ?? {}));
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { misspeltSettings } from '#src/platform/settings/effective-settings.js';
import { SETTINGS } from '#src/platform/settings/settings.js';
import { runCli, startServer } from '../../support/processes.js';
import { sharedService } from '../../support/shared-service.js';

/** Names that shells, containers, orchestrators, CI, npm, PostgreSQL and web frameworks set. */
const FOREIGN = `
  PATH HOME USER LOGNAME SHELL TERM LANG LC_ALL TZ PWD OLDPWD SHLVL MAIL EDITOR DISPLAY TMPDIR TEMP HOST_NAME HOSTNAME HOSTTYPE HOSTS PORTS
  XDG_DATA_DIRS XDG_DATA_HOME XDG_CONFIG_DIRS XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK SSH_CONNECTION SUDO_USER LS_COLORS
  NODE_ENV NODE_OPTIONS NODE_PATH NODE_VERSION UV_THREADPOOL_SIZE YARN_VERSION npm_config_loglevel npm_config_cache npm_package_name npm_lifecycle_event INIT_CWD
  PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGDATA PGSSLMODE POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB POSTGRES_HOST POSTGRES_PORT
  DATABASE_HOST DATABASE_PORT DATABASE_USER DATABASE_NAME DATABASE_PASSWORD DATABASE_SSL TEST_DATABASE_URL DIRECT_DATABASE_URL DATABASE_URL_FILE REDIS_URL MONGO_URL
  KUBERNETES_SERVICE_HOST KUBERNETES_PORT KUBERNETES_PORT_443_TCP_ADDR PATHMEND_SERVICE_HOST PATHMEND_SERVICE_PORT PATHMEND_PORT PATHMEND_PORT_8080_TCP
  POD_NAME POD_IP CI GITHUB_TOKEN GITHUB_SHA RUNNER_TEMP GITLAB_CI DOCKER_HOST COMPOSE_PROJECT_NAME CONTAINER HTTP_PROXY HTTPS_PROXY NO_PROXY
  LOG_FORMAT LOG_FILE LOG_DIR DEBUG DEBUG_LEVEL RUST_LOG SENTRY_DSN OTEL_EXPORTER_OTLP_ENDPOINT MODEL_DIR MODEL_PATH HF_HOME TRANSFORMERS_CACHE
  EMBEDDING_DIMENSIONS OMP_NUM_THREADS MAX_CONNECTIONS MAX_BODY_SIZE MAX_OLD_SPACE_SIZE MAX_RETRIES EVENT_BUS_URL SECRET_KEY API_KEY WEB_CONCURRENCY DYNO PORT HOST
`
  .trim()
  .split(/\s+/);

describe('an environment variable that is nearly a setting', () => {
  it('is told with the setting that was meant', () => {
    const meant: Record<string, string> = {
      EVENT_IPMODE: 'EVENT_IP_MODE',
      EVENT_IP_MODES: 'EVENT_IP_MODE',
      event_ip_mode: 'EVENT_IP_MODE',
      DATABSE_URL: 'DATABASE_URL',
      DATABASEURL: 'DATABASE_URL',
      DATABASE_ULR: 'DATABASE_URL',
      DATADIR: 'DATA_DIR',
      LOGLEVEL: 'LOG_LEVEL',
      EMBEDING_MODEL: 'EMBEDDING_MODEL',
      TRUST_PROXIES: 'TRUSTED_PROXIES',
      FAILED_KEY_PER_MINUTE: 'FAILED_KEYS_PER_MINUTE',
      EVENT_RETENTION_DYAS: 'EVENT_RETENTION_DAYS',
    };
    for (const [name, setting] of Object.entries(meant)) {
      expect(misspeltSettings({ [name]: 'x' }), name).to.deep.equal([
        `${name} is not a setting; did you mean ${setting}?`,
      ]);
      expect(misspeltSettings({ [name]: 'x', [setting]: 'y' }), `${name} beside ${setting}`).to.deep.equal([]);
    }
  });

  it('is none of those that others set, nor a setting', () => {
    const full = Object.fromEntries(FOREIGN.map((name) => [name, 'x']));
    expect(misspeltSettings(full)).to.deep.equal([]);
    expect(misspeltSettings(process.env), 'the environment of this test').to.deep.equal([]);
    expect(misspeltSettings(Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, 'x'])))).to.deep.equal([]);
  });

  it('is named on stderr by a command, and in the log by a server, which warns of plain HTTP beyond this machine too', async function () {
    this.timeout(120_000);
    const { environment } = sharedService().database;
    const listed = await runCli(['project', 'list', '--json'], { ...environment, EVENT_IPMODE: 'drop' });
    expect([listed.code, listed.stderr]).to.deep.equal([
      0,
      'EVENT_IPMODE is not a setting; did you mean EVENT_IP_MODE?\n',
    ]);
    const folder = await mkdtemp(join(tmpdir(), 'pathmend-misspelt-'));
    const apart = environment['DATABASE_URL'] === undefined ? { DATA_DIR: folder } : environment;
    const warnings = async (settings: Record<string, string>): Promise<string[]> => {
      const server = await startServer({ ...apart, LOG_LEVEL: 'warn', ...settings });
      await server.end('SIGTERM');
      return server
        .stderr()
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { message: string }).message);
    };
    const messages = await warnings({ EVENT_IPMODE: 'drop', HOST: '0.0.0.0' });
    expect(messages.filter((line) => line.includes('EVENT_IP_MODE'))).to.deep.equal([
      'EVENT_IPMODE is not a setting; did you mean EVENT_IP_MODE?',
    ]);
    expect(messages.filter((line) => /plain HTTP.*proxy with TLS/.test(line))).to.have.length(1);
    for (const HOST of ['127.0.0.1', 'localhost', '::1'])
      expect((await warnings({ HOST })).join(), HOST).to.not.match(/plain HTTP|setting/);
    await rm(folder, { recursive: true });
  });
});

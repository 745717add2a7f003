import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import type pg from 'pg';
import { examine } from '#src/operations/doctor/examine.js';
import { CONNECTION_SETTINGS } from '#src/platform/database/open-database.js';
import { rowsWithPlan } from '#src/platform/database/session/driver.js';
import { connect, inTransaction, type Connection } from '#src/platform/database/session/connect.js';
import { createTenants } from '#src/platform/database/session/tenants.js';
import { packageRoot } from '#src/base/package-root.js';
import { rejection } from '../../../embedding/rejection.js';
import { onServer, createTestDatabase, type TestDatabase } from '../../../../support/database.js';
import { shellBlocks, typeBlock } from '../../../../support/document.js';
import { inParallel } from '../../../../support/in-parallel.js';
import { pgBouncerProgram, startPgBouncer, type PgBouncer, type PoolMode } from '../../../../support/pgbouncer.js';
import { runCli, startServer } from '../../../../support/processes.js';
import { send, startTestService, type TestService } from '../../../../support/service.js';
import { connectTo, kept } from '../../../../support/sql.js';
import { until } from '../../../../support/until.js';

const SERVER = process.env['TEST_DATABASE_URL'] ?? '';
/** All that a session may carry from one that had it to the next. */
const LEFT = `
  select array(select name || ' = ' || setting from pg_settings where source = 'session'
                  and name not in ('application_name', 'client_encoding', 'TimeZone', 'DateStyle', 'IntervalStyle')
                order by 1) as settings,
         current_user = session_user as own_role, coalesce(current_setting('pathmend.project', true), '') as project,
         (select count(*)::int from pg_locks where pid = pg_backend_pid() and locktype = 'advisory') as locks,
         array(select pg_listening_channels()) as channels,
         (select count(*)::int from pg_class where relpersistence = 't' and pg_table_is_visible(oid)) as temporary,
         array(select name::text from pg_prepared_statements where name not like 'PGBOUNCER\\_%') as prepared`;
const NOTHING = { settings: [], own_role: true, project: '', locks: 0, channels: [], temporary: 0, prepared: [] };

describe('PgBouncer before the server (scripts/postgres/pgbouncer.sh)', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let direct: string;
  const started: PgBouncer[] = [];

  before(async function () {
    if (!onServer() || pgBouncerProgram() === undefined) this.skip();
    database = await createTestDatabase();
    direct = database.environment['DATABASE_DIRECT_URL'] ?? database.environment['DATABASE_URL'] ?? '';
    // The suite may run through another PgBouncer.
    direct = Object.assign(new URL(direct), { port: new URL(SERVER).port }).href;
    expect((await runCli(['migrate'], { DATABASE_URL: direct })).code).to.equal(0);
  });

  after(async () => {
    for (const pooler of started) await pooler.stop();
    await (database as TestDatabase | undefined)?.drop();
  });

  async function start(mode: PoolMode, settings: string[] = []): Promise<PgBouncer> {
    const pooler = await startPgBouncer(SERVER, mode, settings);
    started.push(pooler);
    return pooler;
  }

  const open = (pooler: PgBouncer, max = 4): Connection =>
    connect({
      url: pooler.urlOf(direct),
      max,
      applicationName: 'test',
      onIdleError: () => undefined,
      settings: CONNECTION_SETTINGS,
      ownSessions: true,
    });

  async function doctor(settings: Record<string, string>): Promise<string> {
    const findings = (await examine({ environment: settings })).filter(({ check }) => check === 'pooler');
    return findings.map(({ level, message, action }) => `${level} ${message} ${action ?? ''}`.trim()).join('; ');
  }

  describe('in transaction mode', () => {
    let pooler: PgBouncer;
    let service: TestService;
    let settings: Record<string, string>;

    before(async () => {
      pooler = await start('transaction', ['default_pool_size = 2']);
      settings = { DATABASE_URL: pooler.urlOf(direct), DATABASE_DIRECT_URL: direct };
      service = await startTestService(
        { ...settings, SEARCH_CACHE_ENTRIES: '0' },
        { database: kept({ ...database, environment: settings }) },
      );
    });

    after(() => service.stop());

    it('ends a start and every command without DATABASE_DIRECT_URL, in one line that says what to set', async () => {
      for (const command of [['migrate'], ['serve', '--role', 'api'], ['key', 'list', '--project', 'any']]) {
        const { code, stderr } = await runCli(command, { DATABASE_URL: pooler.urlOf(direct), PORT: '0' });
        expect([code, stderr], command.join(' ')).to.deep.equal([
          1,
          'DATABASE_URL leads to a pooler that gives each transaction another session. Set DATABASE_DIRECT_URL to the ' +
            'url of the server itself, or the pooler to `pool_mode = session` (docs/operate/availability.md, Pooler).\n',
        ]);
      }
      const twice = { DATABASE_URL: pooler.urlOf(direct), DATABASE_DIRECT_URL: pooler.urlOf(direct) };
      expect((await runCli(['migrate'], twice)).stderr).to.match(/^DATABASE_DIRECT_URL leads to a pooler, too/);
    });

    it('is named by doctor, with what is missing', async () => {
      expect(await doctor(settings)).to.match(/^ok .*transaction mode, which keeps prepared statements/);
      expect(await doctor({ DATABASE_URL: pooler.urlOf(direct) })).to.match(/^problem .*DATABASE_DIRECT_URL/);
      const other = { ...settings, DATABASE_DIRECT_URL: SERVER };
      expect(await doctor(other)).to.match(/^problem DATABASE_DIRECT_URL leads to another database/);
    });

    it('leaves nothing of a tenant, a deadline or a kept plan in the sessions that all share', async () => {
      const connection = open(pooler, 8);
      const tenants = [randomUUID(), randomUUID(), randomUUID()];
      const shared = new Set<number>();
      const mine = sql<{ pid: number; role: string; project: string; timeout: string; jit: string }>`
        select pg_backend_pid() as pid, current_user as role, current_setting('pathmend.project') as project,
               current_setting('statement_timeout') as timeout, current_setting('jit') as jit`;
      try {
        await inParallel(
          Array.from({ length: 400 }, (_, turn) => turn),
          async (turn) => {
            const projectId = tenants[turn % tenants.length] ?? '';
            const { db } = createTenants(connection.pool, true, 8_000).of(projectId);
            const generic = turn % 2 === 0 ? ('generic' as const) : undefined;
            if (turn % 5 === 0)
              await rejection(rowsWithPlan(db, sql`select 1 / (${turn}::int - ${turn}::int)`, generic), Error);
            if (turn % 7 === 0)
              expect((await connection.pool.query<Record<string, unknown>>(LEFT)).rows).to.deep.equal([NOTHING]);
            const rows =
              turn % 3 === 0
                ? await inTransaction(db, async (trx) => (await mine.execute(trx)).rows)
                : await rowsWithPlan(db, mine, generic);
            const [{ pid, ...seen } = { pid: 0 }] = rows;
            shared.add(pid);
            expect(seen).to.deep.equal({ role: 'pathmend_tenant', project: projectId, timeout: '9s', jit: 'off' });
          },
          8,
        );
        expect(shared.size, 'sessions of eight connections').to.be.at.most(2);
        expect((await connection.pool.query<Record<string, unknown>>(LEFT)).rows).to.deep.equal([NOTHING]);
      } finally {
        await connection.close();
      }
    });

    it('keeps the plans of searches, prepared once in each session', async () => {
      const project = await service.newProject();
      await project.upsert({ url: 'https://plans.example/descaling', content: 'Descaling a kettle with citric acid.' });
      await project.indexed();
      for (let turn = 0; turn < 12; turn += 1)
        expect((await project.post('/v1/semantic-search', { query: `descale kettle ${turn}` })).status).to.equal(200);
      // Which of the pooler's two sessions answers is chance: a client in a transaction holds each of them.
      const environment = { DATABASE_URL: pooler.urlOf(direct) };
      const clients = await Promise.all([1, 2].map(() => connectTo({ ...database, environment })));
      try {
        for (const client of clients) await client.query('begin');
        const plans = await Promise.all(
          clients.map((client) =>
            client.query<{ generic: number; custom: number }>(
              `select sum(generic_plans)::int as generic, sum(custom_plans)::int as custom from pg_prepared_statements
                where statement like '%dense as (%' having count(*) > 0`,
            ),
          ),
        );
        const counts = plans.flatMap(({ rows }) => rows);
        expect(Math.max(...counts.map(({ generic }) => generic))).to.be.at.least(5);
        for (const { custom } of counts) expect(custom).to.equal(0);
      } finally {
        for (const client of clients) await client.end();
      }
    });

    it('hears of jobs at once, by a connection past it', async () => {
      const { rows } = await onServerItself(`select from pg_stat_activity where application_name = 'pathmend-jobs'
        and datname = current_database() and (query ilike 'listen %' or query like '%pg_listening_channels%')`);
      expect(rows).to.have.length(1);
    });

    it('ends a search on the server when its caller is gone', async () => {
      const { db } = createTenants(service.service.database.connection.pool, true, 8_000).of(
        randomUUID(),
        AbortSignal.timeout(500),
      );
      await rejection(sql`select pg_sleep(30), 'abandoned'`.execute(db), Error);
      await until(
        'the server has ended it',
        async () => {
          const { rows } = await onServerItself(
            `select from pg_stat_activity where query like '%abandoned%' and state = 'active' and pid <> pg_backend_pid()`,
          );
          return rows.length === 0;
        },
        5_000,
      );
    });

    it('serves on when its sessions are ended', async () => {
      await onServerItself(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`);
      await until('it is ready', async () => (await send(service.service.url, 'GET', '/readyz')).status === 200);
    });
  });

  it('as docs/operate/availability.md configures it, typed, is found in order by doctor', async () => {
    const page = await readFile(join(packageRoot(), 'docs/operate/availability.md'), 'utf8');
    const [, lines = ''] = /```ini\n\[databases\][\s\S]*?\[pgbouncer\]\n([\s\S]*?)```/.exec(page) ?? [];
    const pooler = await start('transaction', lines.trim().split('\n'));
    const folder = await mkdtemp(join(tmpdir(), 'pathmend-pooler-'));
    for (const name of ['dist', 'node_modules']) await symlink(join(packageRoot(), name), join(folder, name));
    const at = new URL(direct);
    const [block = ''] = await shellBlocks('docs/operate/availability.md', 'Pooler');
    const { stdout } = await typeBlock(block, {
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        OWNER: at.username,
        DATABASE: at.pathname.slice(1),
        PGBOUNCER: `127.0.0.1:${pooler.port}`,
        PGHOST: at.hostname,
        PGPORT: at.port,
        ...(at.password && { PGPASSWORD: decodeURIComponent(at.password) }),
      },
    });
    await rm(folder, { recursive: true });
    // No worker has made the partitions of next week: that is all that it may find.
    expect(stdout).to.match(/ok +pooler .*keeps prepared statements/);
    expect(stdout.match(/^problem +(?! |partitions)/m)).to.equal(null);
  });

  it('that keeps no plans (max_prepared_statements = 0) serves with plans made each time, and doctor says so', async () => {
    const pooler = await start('transaction', ['max_prepared_statements = 0', 'default_pool_size = 2']);
    const settings = { DATABASE_URL: pooler.urlOf(direct), DATABASE_DIRECT_URL: direct };
    const service = await startTestService(
      { ...settings, SEARCH_CACHE_ENTRIES: '0' },
      { database: kept({ ...database, environment: settings }) },
    );
    try {
      const project = await service.newProject();
      await project.upsert({ url: 'https://unkept.example/descaling', content: 'Descaling a kettle.' });
      await project.indexed();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, turn) => project.post('/v1/semantic-search', { query: `descaling ${turn}` })),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(200));
      expect(await doctor(settings)).to.match(/^warning .*max_prepared_statements/);
    } finally {
      await service.stop();
    }
  });

  it('in session mode is used as the server itself, with sessions that are set once', async () => {
    const pooler = await start('session');
    const settings = { DATABASE_URL: pooler.urlOf(direct) };
    const server = await startServer(settings);
    try {
      expect((await send(server.url, 'GET', '/readyz')).status).to.equal(200);
      expect(await doctor(settings)).to.match(/^ok .*session mode/);
      const listening = await onServerItself(
        `select from pg_stat_activity where application_name = 'pathmend-jobs' and query ilike 'listen %'`,
      );
      expect(listening.rows.length).to.be.at.least(1);
    } finally {
      await server.end('SIGTERM');
    }
  });

  it('in statement mode, or behind PGOPTIONS that it refuses, ends the start with what to do', async () => {
    const pooler = await start('statement');
    const settings = { DATABASE_URL: pooler.urlOf(direct), DATABASE_DIRECT_URL: direct };
    const statement = await runCli(['key', 'list', '--project', 'any'], settings);
    expect([statement.code, statement.stderr.trim().split('\n').length]).to.deep.equal([1, 1]);
    expect(statement.stderr).to.match(/transaction blocks not allowed in statement pooling mode/);
    const options = await runCli(['migrate'], { DATABASE_URL: pooler.urlOf(direct), PGOPTIONS: '-c geqo=off' });
    expect([options.code, options.stderr.trim().split('\n').length]).to.deep.equal([1, 1]);
    expect(options.stderr).to.match(/startup parameter.*PGOPTIONS.*ignore_startup_parameters/);
  });

  async function onServerItself(statement: string): Promise<pg.QueryResult<Record<string, unknown>>> {
    const client = await connectTo({ ...database, environment: { DATABASE_URL: direct } });
    return await client.query<Record<string, unknown>>(statement).finally(() => client.end());
  }
});

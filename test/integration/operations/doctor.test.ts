import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { systemClock } from '#src/base/clock.js';
import { judgeDisk } from '#src/operations/doctor/check-machine.js';
import { checkSettings } from '#src/operations/doctor/check-settings.js';
import { LIMITS } from '#src/operations/doctor/check-work.js';
import { examine, type ExamineOptions } from '#src/operations/doctor/examine.js';
import type { Finding } from '#src/operations/doctor/finding.js';
import { packageRoot } from '#src/base/package-root.js';
import { onServer } from '../../support/database.js';
import { createLogins, type Logins } from '../../support/logins.js';
import { runCli } from '../../support/processes.js';
import { startTestService, type TestService } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { until } from '../../support/until.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** Returns the level and message of each finding of a check that is not ok. Each finding must name an action. */
function ills(findings: readonly Finding[], check: string): string[] {
  const illFindings = findings.filter((finding) => finding.check === check && finding.level !== 'ok');
  for (const finding of illFindings) expect(finding.action, finding.message).to.match(/\w/);
  return illFindings.map(({ level, message }) => `${level}: ${message}`);
}

describe('doctor', function () {
  this.timeout(120_000);
  let testService: TestService;
  const folder = temporaryFolder();

  before(async () => {
    // This service takes no jobs, so that what a test prepares for the doctor stays.
    testService = await startTestService({}, { role: 'api' });
  });

  after(async () => {
    await testService.stop();
  });

  const look = (settings: Record<string, string> = {}, more: Partial<ExamineOptions> = {}): Promise<Finding[]> =>
    examine({ environment: { ...testService.database.environment, ...settings }, ...more });
  const run = (statement: string): Promise<unknown> => query(testService.service, statement);

  /** Returns the findings of `check` after the statement `harm`, whose effect the statement `mend` removes. */
  async function whenHarmed(
    check: string,
    harm: string,
    mend: string,
    more?: Partial<ExamineOptions>,
  ): Promise<string[]> {
    await run(harm);
    try {
      return ills(await look({}, more), check);
    } finally {
      await run(mend);
    }
  }

  it('finds nothing wrong with a sound set-up, says so of each thing, and ends with 0; with 1 on a problem', async () => {
    await run(`select pathmend.ensure_weeks(now(), now() + interval '14 days')`);
    const sound = await runCli(['doctor', '--json'], testService.database.environment);
    expect(sound.code, sound.stdout + sound.stderr).to.equal(0);
    const { ok, findings } = JSON.parse(sound.stdout) as { ok: boolean; findings: Finding[] };
    expect(ok).to.equal(true);
    // Tests log in as a superuser, and the disk of the machine may be nearly full.
    const ill = findings.filter(({ level, check }) => level !== 'ok' && check !== 'grants' && check !== 'disk');
    expect(ill).to.deep.equal([]);
    const looked = 'settings disk model database version schema queue pages indexes partitions'.split(' ');
    const ofServer = ['connections', 'clock', 'locks', 'replication', 'grants'];
    expect(findings.map(({ check }) => check)).to.include.members([...looked, ...(onServer() ? ofServer : [])]);
    const ill1 = await runCli(['doctor'], { DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/pages' });
    expect(ill1.code).to.equal(1);
    expect(ill1.stdout)
      .to.match(/problem +database +The database cannot be reached: .*ECONNREFUSED/)
      .and.match(/→ Start it/);
    expect(ill1.stdout + ill1.stderr).to.not.include('hunter2');
  });

  it('finds settings that are misspelt, not valid, in a file that is not there, or contradict each other', () => {
    const describeIlls = (environment: Record<string, string>): string[] =>
      ills(checkSettings(environment).findings, 'settings');
    expect(describeIlls({ EVENT_IPMODE: 'drop' })).to.deep.equal([
      'warning: EVENT_IPMODE is not a setting; did you mean EVENT_IP_MODE?',
    ]);
    expect(describeIlls({ PORT: 'x' }).join()).to.match(/^problem: .*PORT: must be a whole number/s);
    expect(describeIlls({ DATABASE_URL_FILE: '/nowhere/url' })).to.deep.equal([
      'problem: DATABASE_URL_FILE names "/nowhere/url", which does not exist.',
    ]);
    const contradictions: Record<string, Record<string, string>> = {
      'problem: MAX_BYTES_IN_HAND': { MAX_BYTES_IN_HAND: '1048576' },
      'warning: TOMBSTONE_CONTENT': { TOMBSTONE_CONTENT: 'on', TOMBSTONE_DAYS: '0' },
      'warning: TRUSTED_PROXIES': { TRUSTED_PROXIES: '10.0.0.0/8' },
    };
    for (const [words, settings] of Object.entries(contradictions))
      expect(
        describeIlls(settings).filter((message) => message.startsWith(words)),
        words,
      ).to.have.length(1);
    expect(describeIlls({ TRUSTED_PROXIES: '10.0.0.0/8', HOST: '0.0.0.0' })).to.deep.equal([]);
  });

  it('finds stored times that lie in the future: the clock of the database was set back', async () => {
    await testService.newProject();
    await run(`insert into pathmend.rate_buckets (project_id, bucket, tokens, updated_at)
               select project_id, 'read', 1, now() + interval '1 hour' from pathmend.projects limit 1
               on conflict (project_id, bucket) do update set updated_at = excluded.updated_at`);
    const messages = await whenHarmed('clock', 'select 1', 'delete from pathmend.rate_buckets');
    expect(messages.join()).to.match(/^warning: The clock of the database was set back: .*\(rates: (59|60) min/);
  });

  it('finds a disk that is nearly full', () => {
    const level = (free: number, total: number): string => judgeDisk('/data', free, total).level;
    expect([level(1e8, 1e11), level(1e9, 1e10), level(4e9, 1e11), level(4e10, 1e11)]).to.deep.equal([
      'problem',
      'warning',
      'warning',
      'ok',
    ]);
  });

  it('finds a model that was altered, one that workers do not have, and one that is not there', async () => {
    const altered = join(folder, 'model');
    await cp(join(packageRoot(), 'models/pathmend-static-v2'), altered, { recursive: true });
    await writeFile(join(altered, 'config.json'), '{}');
    expect(ills(await look({ EMBEDDING_MODEL: altered }), 'model').join()).to.match(
      /^problem: .*config.json is not the file/,
    );
    expect(
      ills(await look({ EMBEDDING_MODEL: 'some/model', DATA_DIR: folder, DATABASE_URL: '' }), 'model').join(),
    ).to.match(/^warning: .*"some\/model" is neither a folder nor in MODEL_CACHE_DIR/);
    const other = `insert into pathmend.model_names values ('other/model', now() + interval '1 day')`;
    const messages = await whenHarmed('model', other, `delete from pathmend.model_names where name = 'other/model'`);
    expect(messages).to.deep.equal([
      'warning: The worker that started last has EMBEDDING_MODEL "other/model", not "auto"',
    ]);
  });

  it('finds that there is no embedded database yet, and makes none', async () => {
    const findings = await examine({ environment: { DATA_DIR: join(folder, 'none') } });
    expect(ills(findings, 'database')).to.deep.equal([`warning: There is none in ${join(folder, 'none')} yet`]);
    expect(ills(await examine({ environment: { DATA_DIR: join(folder, 'none') } }), 'database')).to.have.length(1);
  });

  it('finds a schema that is missing, older, newer or not whole', async () => {
    const { environment } = testService.database;
    const lost = await whenHarmed(
      'schema',
      'alter table pathmend.tombstones rename to lost',
      'alter table pathmend.lost rename to tombstones',
    );
    expect(lost.join('\n')).to.match(/^problem: Missing: .*pathmend\.tombstones/);
    const [newer] = await whenHarmed(
      'schema',
      `insert into pathmend.migrations (number, name) values (999, 'later')`,
      'delete from pathmend.migrations where number = 999',
    );
    expect(newer).to.match(/^problem: The schema has version 999, newer than/);
    const [older] = await whenHarmed(
      'schema',
      'update pathmend.migrations set number = -number where number > 5',
      'update pathmend.migrations set number = -number where number < 0',
    );
    expect(older).to.match(/^problem: The schema has version 5; this release needs/);
    if (!onServer()) return;
    const empty = new URL(environment['DATABASE_URL'] ?? '');
    empty.pathname = '/postgres';
    expect(ills(await look({ DATABASE_URL: empty.href }), 'schema')).to.deep.equal([
      'problem: The database has no tables of pathmend.',
    ]);
    empty.pathname = '/no_such_database';
    expect(ills(await look({ DATABASE_URL: empty.href }), 'database').join()).to.match(/There is no database "no_such/);
  });

  it('finds jobs that nobody takes, jobs that were given up, and pages in ERROR', async () => {
    const project = await testService.newProject();
    await project.upsert({ url: 'https://doctor.example/a', content: 'A page that nobody indexes.' });
    const late = `update pgboss.job_common set created_on = now() - interval '10 min', start_after = now() - interval '10 min' where name like 'vectorize%'`;
    expect(await whenHarmed('queue', late, 'select 1')).to.deep.equal([
      'problem: 1 jobs wait in vectorize-page, the oldest for 10 min; 0 are in work',
    ]);
    const [busy] = await whenHarmed(
      'queue',
      `insert into pgboss.job_common (name, state) values ('vectorize-page', 'active')`,
      `delete from pgboss.job_common where state = 'active'`,
    );
    expect(busy).to.match(/^warning: .*1 are in work/);
    expect(
      await whenHarmed(
        'queue',
        `update pgboss.job_common set state = 'failed' where name = 'vectorize-page'`,
        'delete from pgboss.job_common',
      ),
    ).to.deep.equal(['warning: 1 jobs of vectorize-page were given up after their last try']);
    await run(`update pathmend.pages set status = 'ERROR', error = 'no vector'`);
    expect(ills(await look(), 'pages')).to.deep.equal([
      `warning: Pages in ERROR: 1 of ${JSON.stringify(project.row.name)}`,
    ]);
  });

  it('finds own indexes that are not there, and an index that is not valid', async function () {
    const { row } = await testService.newProject();
    await run(
      `insert into pathmend.models (fingerprint, name, location, dimensions) values ('f', 'static', 'static', 3)`,
    );
    await run(`insert into pathmend.index_segments (project_id, model_id, segment, after, covered, chunks, pages)
               select '${row.project_id}', min(model_id), 1, -1, 5, 5, 5 from pathmend.models`);
    expect(ills(await look(), 'indexes')).to.deep.equal([
      `problem: The project ${JSON.stringify(row.name)} lacks one of its own indexes: its searches read every row`,
    ]);
    await run('delete from pathmend.index_segments');
    if (!onServer()) return;
    // Two projects have no plan: the build fails, and leaves its index.
    await testService.newProject({ plan: null });
    await testService.newProject({ plan: null });
    await run('create unique index concurrently broken on pathmend.projects ((plan is null))').catch(() => undefined);
    expect(ills(await look(), 'indexes')).to.deep.equal([
      'problem: The index pathmend.broken is not valid: it costs writes and helps no search',
    ]);
    await run('drop index pathmend.broken');
  });

  it('finds that the partitions of next week are not there', async () => {
    await run(`select pathmend.ensure_weeks(now(), now() + interval '14 days')`);
    expect(ills(await look(), 'partitions')).to.deep.equal([]);
    const clock = { now: () => systemClock.now() + 40 * 86_400_000 };
    expect(ills(await look({}, { clock }), 'partitions').join()).to.match(
      /^problem: .*: clicks_\d{4}w\d\d, not_founds_\d{4}w\d\d, searches_/,
    );
  });

  describe('of a server', () => {
    before(function () {
      if (!onServer()) this.skip();
    });

    it('finds an old pgvector, more connections than there are, and clocks that are apart', async () => {
      const version = (name: string): string =>
        `update pg_extension set extversion = '${name}' where extname = 'vector'`;
      expect((await whenHarmed('version', version('0.8.5'), version('0.8.6'))).join()).to.match(
        /^warning: pgvector 0\.8\.5 .*0\.8\.6/,
      );
      expect((await whenHarmed('version', version('0.7.4'), version('0.8.6'))).join()).to.match(
        /^problem: pgvector 0\.7\.4 is too old/,
      );
      expect(ills(await look({ DATABASE_POOL: '500' }), 'connections').join()).to.match(
        /^problem: .*DATABASE_POOL is 500/,
      );
      const off = (ms: number) => ({ clock: { now: () => systemClock.now() + ms } });
      expect(ills(await look({}, off(30_000)), 'clock').join()).to.match(/^warning: .* (29|30)(\.\d)? s apart/);
      expect(ills(await look({}, off(-3_600_000)), 'clock').join()).to.match(
        /^problem: .* 60 min apart|^problem: .* 59 min apart/,
      );
    });

    it('finds a transaction that is left open, a session that waits for it, and a slot that nobody uses', async () => {
      const environment = testService.database.environment;
      const [holder, waiter] = [0, 1].map(() => new pg.Client({ connectionString: environment['DATABASE_URL'] }));
      if (!holder || !waiter) throw new Error('no clients');
      await Promise.all([holder.connect(), waiter.connect()]);
      const pidOf = async (client: pg.Client): Promise<number> =>
        (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0;
      const [holding, waiting] = [await pidOf(holder), await pidOf(waiter)];
      await holder.query('begin; lock table pathmend.tombstones');
      const blocked = waiter.query('begin; lock table pathmend.tombstones').catch(() => undefined);
      const limits = {
        ...LIMITS,
        transactionSeconds: { warning: 0, problem: 600 },
        lockSeconds: { warning: 0, problem: 60 },
      };
      await until('the lock is waited for', async () => {
        const report = ills(await look({}, { limits }), 'locks').join('\n');
        return (
          report.includes(`The session ${waiting} waits for a lock of ${holding}`) &&
          report.includes(`pid ${holding}, idle in transaction`)
        );
      });
      await Promise.all([holder.end(), blocked.then(() => waiter.end())]);
      expect(ills(await look(), 'locks')).to.deep.equal([]);
      const slot = `doctor_${process.pid}`;
      const idle = await whenHarmed(
        'replication',
        `select pg_create_physical_replication_slot('${slot}', true)`,
        `select pg_drop_replication_slot('${slot}')`,
        { limits: { ...LIMITS, slotBytes: -1 } },
      );
      expect(idle.join()).to.match(new RegExp(`problem: Nobody uses the slot ${slot}`));
      // The doctor reports an abandoned slot of a reader that never came, too, long before the disk is full.
      const young = await whenHarmed(
        'replication',
        `select pg_create_physical_replication_slot('${slot}')`,
        `select pg_drop_replication_slot('${slot}')`,
      );
      expect(young.join()).to.match(new RegExp(`warning: Nobody uses the slot ${slot}`));
    });

    it('finds the schema whole, whatever search path a login has', async () => {
      const logins: Logins = await createLogins();
      try {
        const environment = { DATABASE_URL: logins.urlOf(logins.owner) };
        expect((await runCli(['migrate'], environment)).code).to.equal(0);
        // The first path is what the default, with `"$user"`, gives a login called `pathmend`.
        for (const path of ['"$user", pathmend, analytics, public', 'analytics, pathmend, pg_temp', "''"]) {
          for (const login of [logins.owner, logins.api])
            await logins.admin.query(`alter role ${login} set search_path = ${path}`);
          for (const login of [logins.owner, logins.api]) {
            const findings = await examine({ environment: { DATABASE_URL: logins.urlOf(login) } });
            expect(ills(findings, 'schema'), `${login}: ${path}`).to.deep.equal([]);
            expect(ills(findings, 'grants'), `${login}: ${path}`).to.deep.equal([]);
          }
        }
      } finally {
        await logins.drop();
      }
    });

    it('advises by the cause where the database cannot be used', async () => {
      const logins: Logins = await createLogins();
      const adviceAt = async (change: (url: URL) => void): Promise<string> => {
        const url = new URL(logins.urlOf(logins.owner));
        change(url);
        const findings = await examine({ environment: { DATABASE_URL: url.href } });
        return findings
          .filter(({ check, level }) => check === 'database' && level !== 'ok')
          .map(({ action }) => action)
          .join();
      };
      const advice: [change: (url: URL) => void, expected: RegExp][] = [
        [(url) => (url.pathname = '/no_such_database'), /^Make the database, or correct its name in DATABASE_URL/],
        [(url) => (url.username = 'nobody_is_called_so'), /^Correct the login in DATABASE_URL or its password/],
        [(url) => (url.hostname = 'no-such-host.invalid'), /^Correct the host in DATABASE_URL/],
        [(url) => (url.port = '1'), /^Start it, or correct DATABASE_URL/],
        [(url) => (url.search = '?sslmode=verify-full'), /^See sslmode and sslrootcert in DATABASE_URL/],
        [(url) => (url.search = '?sslrootcert=/no/such/file'), /^See sslmode and sslrootcert in DATABASE_URL/],
      ];
      try {
        for (const [change, expected] of advice) expect(await adviceAt(change), String(change)).to.match(expected);
        await logins.admin.query(`alter role ${logins.owner} connection limit 0`);
        expect(await adviceAt(() => undefined)).to.match(/^Lower DATABASE_POOL or the number of processes/);
        await logins.admin.query(`alter role ${logins.owner} connection limit -1`);
        const { rows } = await logins.admin.query<{ name: string }>('select current_database() as name');
        await logins.admin.query(`revoke connect on database "${rows[0]?.name}" from ${logins.owner}, public`);
        expect(await adviceAt(() => undefined)).to.match(
          /^Use the login that owns the schema, or have an administrator/,
        );
      } finally {
        await logins.drop();
      }
    });

    it("says what a login lacks, to the owner and to the api's, and what a role has too much", async () => {
      const logins: Logins = await createLogins();
      try {
        const as = (login: string): Promise<Finding[]> =>
          examine({ environment: { DATABASE_URL: logins.urlOf(login) } });
        const owner = { DATABASE_URL: logins.urlOf(logins.owner) };
        expect((await runCli(['migrate'], owner)).code).to.equal(0);
        expect(ills(await as(logins.owner), 'grants')).to.deep.equal([]);
        const ofApi = (await as(logins.api)).filter(({ level, check }) => level !== 'ok' && check !== 'disk');
        expect(ofApi.map(({ check }) => check)).to.deep.equal(['partitions']);
        await logins.admin.query(
          `grant select on pathmend.pages to pathmend_analyst; revoke pathmend_tenant from ${logins.owner}`,
        );
        const messages = ills(await as(logins.owner), 'grants');
        expect(messages.join('\n')).to.match(
          /has rights that it does not need: grant select on pathmend.pages to pathmend_analyst/,
        );
        expect(messages.join('\n')).to.match(/may not become pathmend_tenant: row level security is off/);
        await logins.admin.query(`revoke usage on schema pathmend from pathmend_service, pathmend_tenant`);
        expect(ills(await as(logins.api), 'schema')).to.deep.equal(['problem: The role may not use the schema.']);
      } finally {
        await logins.drop();
      }
    });
  });
});

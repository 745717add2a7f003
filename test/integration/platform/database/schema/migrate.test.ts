import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { connect, type Connection } from '#src/platform/database/session/connect.js';
import { schemaIsCurrent } from '#src/platform/database/schema/schema-is-current.js';
import { migrate } from '#src/platform/database/schema/migrate.js';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { packageRoot } from '#src/base/package-root.js';
import { OperatorError } from '#src/base/errors.js';
import { rejection } from '../../../embedding/rejection.js';
import { onServer } from '../../../../support/database.js';
import { createEmptyDatabase, type EmptyDatabase } from '../../../../support/empty-database.js';
import { until } from '../../../../support/until.js';

const MIGRATIONS = ['0001_roles.sql', '0002_models.sql', '0003_projects.sql'];

describe('migrate', () => {
  let database: EmptyDatabase;
  let client: pg.Client;
  let connection: Connection;
  /** A copy of the package's folder, to change. */
  let folder: string;

  before(async () => {
    database = await createEmptyDatabase();
    client = await database.connect();
    connection = connect({ url: database.url, max: 1, applicationName: 'test', onIdleError: () => undefined });
  });

  after(async () => {
    await connection.close();
    await database.drop();
  });

  beforeEach(async () => {
    await client.query('drop schema if exists pathmend, analytics cascade');
    folder = await mkdtemp(join(tmpdir(), 'pathmend-db-'));
    await cp(sqlFolder(), folder, { recursive: true });
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function tables(): Promise<string[]> {
    const { rows } = await client.query<{ name: string }>(
      `select format('%s.%s', schemaname, tablename) as name from pg_tables where schemaname in ('pathmend', 'analytics')`,
    );
    return rows.map((row) => row.name);
  }

  it('applies every migration once, then has nothing to do', async () => {
    const first = await migrate(client, folder);
    expect(first.applied).to.include.members(MIGRATIONS);
    expect(first.repeated).to.include.members([
      'functions/admit.sql',
      'views/not_founds_daily.sql',
      'access/analyst.sql',
      'access/tenant.sql',
    ]);
    expect(await schemaIsCurrent(connection.db, folder)).to.be.true;
    expect(await migrate(client, folder)).to.deep.include({ applied: [], repeated: [] });
  });

  it('begins again where the migration of another database has changed the same role (server only)', async function () {
    if (!onServer()) this.skip();
    const role = `role_${database.url.split('/').at(-1) ?? ''}`;
    await migrate(client, folder);
    const other = await database.connect();
    await other.query(`create role ${role}`);
    await writeFile(join(folder, 'migrations/0099_role.sql'), `alter role ${role} connection limit 7;`);
    try {
      await other.query(`begin; alter role ${role} connection limit 5`);
      const migrated = migrate(client, folder);
      await until('the migration waits for the role', async () => {
        const { rows } = await other.query(`select from pg_locks where not granted and locktype = 'transactionid'`);
        return rows.length > 0;
      });
      await other.query('commit');
      expect((await migrated).applied).to.deep.equal(['0099_role.sql']);
    } finally {
      await other.query(`rollback; drop role ${role}`);
    }
  });

  it('applies a later migration alone; this release goes on serving then, and refuses in words to migrate back', async () => {
    const { applied } = await migrate(client, folder);
    await writeFile(
      join(folder, 'migrations/0099_later.sql'),
      'create table pathmend.later (project_id uuid primary key);',
    );
    expect(await schemaIsCurrent(connection.db, folder)).to.be.false;
    expect(await migrate(client, folder)).to.deep.include({ applied: ['0099_later.sql'], repeated: [] });
    expect(await schemaIsCurrent(connection.db, sqlFolder())).to.be.true;
    const error = await rejection(migrate(client, sqlFolder()), OperatorError);
    expect(error.message).to.include(
      `schema version ${applied.length + 1} (0099_later.sql), newer than this release knows`,
    );
    expect(await tables()).to.include('pathmend.later');
  });

  it('refuses a database whose history is another one', async () => {
    await migrate(client, folder);
    await client.query(`update pathmend.migrations set name = '0002_other.sql' where number = 2`);
    const error = await rejection(migrate(client, folder), OperatorError);
    expect(error.message).to.equal(
      'Migration 2 is 0002_other.sql in the database but 0002_models.sql in this release.',
    );
  });

  it('refuses a database of a version before 1.0.0, and says where to read how its pages and rules come over', async () => {
    await migrate(client, folder);
    await client.query(`update pathmend.migrations set name = '0002_projects_and_keys.sql' where number = 2`);
    await client.query(
      `insert into pathmend.migrations select n, n || '_earlier.sql' from generate_series((select max(number) + 1 from pathmend.migrations), 47) as n`,
    );
    const error = await rejection(migrate(client, folder), OperatorError);
    expect(error.message).to.include('before 1.0.0').and.include('docs/operate/upgrade.md');
    const document = await readFile(join(packageRoot(), 'docs/operate/upgrade.md'), 'utf8');
    expect(document).to.include('## From a version before 1.0.0');
  });

  it('leaves nothing behind when the first run fails at its end', async () => {
    await writeFile(join(folder, 'migrations/0099_broken.sql'), 'create table pathmend.half (id int); select 1 / 0;');
    const error = await rejection(migrate(client, folder), Error);
    expect(error.message).to.equal('division by zero');
    expect(await tables()).to.deep.equal([]);
    await rm(join(folder, 'migrations/0099_broken.sql'));
    expect((await migrate(client, folder)).applied).to.include.members(MIGRATIONS);
  });

  it('leaves the schema as it was when a later migration fails', async () => {
    await migrate(client, folder);
    const before = await tables();
    await writeFile(join(folder, 'migrations/0098_fine.sql'), 'create table pathmend.fine (id int);');
    await writeFile(join(folder, 'migrations/0099_broken.sql'), 'create table pathmend.half (id int); select 1 / 0;');
    await rejection(migrate(client, folder), Error);
    expect(await tables()).to.have.members(before);
    expect(await migrate(client, sqlFolder())).to.deep.include({ applied: [], repeated: [] });
  });

  it('repeats a function whose text changed, and no other', async () => {
    await migrate(client, folder);
    await append('functions/admit.sql', "\ncomment on function pathmend.admit is 'changed';\n");
    expect(await migrate(client, folder)).to.deep.include({ applied: [], repeated: ['functions/admit.sql'] });
    const { rows } = await client.query(`select obj_description('pathmend.admit'::regproc, 'pg_proc') as comment`);
    expect(rows).to.deep.equal([{ comment: 'changed' }]);
    expect(await migrate(client, folder)).to.deep.include({ repeated: [] });
  });

  it('changes a view whose text changed, with its grants, and repeats nothing else', async () => {
    await migrate(client, folder);
    await append('views/not_founds_daily.sql', "\ncomment on view analytics.not_founds_daily is 'changed';\n");
    const { repeated } = await migrate(client, folder);
    expect(repeated).to.deep.equal(['views/not_founds_daily.sql', 'access/analyst.sql']);
    const { rows } = await client.query(
      `select obj_description('analytics.not_founds_daily'::regclass) as comment,
              has_table_privilege('pathmend_analyst', 'analytics.not_founds_daily', 'select') as may_read,
              has_schema_privilege('pathmend_analyst', 'pathmend', 'usage') as may_enter`,
    );
    expect(rows).to.deep.equal([{ comment: 'changed', may_read: true, may_enter: false }]);
  });

  it('gives way to whoever holds a table, so that others are answered meanwhile, and is done when it is free', async function () {
    // The embedded database has one session: nobody can hold anything beside it.
    if (!onServer()) this.skip();
    await migrate(client, folder);
    const [holder, reader] = [await database.connect(), await database.connect()];
    await holder.query('begin; select from pathmend.pages');
    await writeFile(join(folder, 'migrations/0099_later.sql'), 'alter table pathmend.pages add column later integer;');
    let done = false;
    const migrated = migrate(client, folder).finally(() => {
      done = true;
    });
    const waits = `select count(*)::int as n from pg_locks where relation = 'pathmend.pages'::regclass and mode = 'AccessExclusiveLock' and not granted`;
    const waiting = async (): Promise<boolean> => (await holder.query<{ n: number }>(waits)).rows[0]?.n === 1;
    await until('the migration waits for the table', waiting);
    // It stands behind the migration, which stands behind the holder.
    await reader.query('select from pathmend.pages');
    expect(done).to.be.false;
    await holder.query('commit');
    expect((await migrated).applied).to.deep.equal(['0099_later.sql']);
  });

  async function append(file: string, text: string): Promise<void> {
    await writeFile(join(folder, file), (await readFile(join(folder, file), 'utf8')) + text);
  }
});

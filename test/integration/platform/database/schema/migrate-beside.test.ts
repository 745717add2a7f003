import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { migrate, type MigrationReport } from '#src/platform/database/schema/migrate.js';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { onServer } from '../../../../support/database.js';
import { createEmptyDatabase, type EmptyDatabase } from '../../../../support/empty-database.js';
import { until } from '../../../../support/until.js';

/** Each in another order than requests take them. */
const LATER = `
-- A comment that ends with a semicolon, and names nothing;
create index later__pages on pathmend.pages (project_id, url);
alter table pathmend.index_versions add column later integer;
update pathmend.rate_buckets set tokens = tokens;
create table pathmend.later (project_id uuid primary key references pathmend.projects);
alter table pathmend.projects add column later integer;
drop index pathmend.missing_paths__earlier;
alter table pathmend.api_keys add column later integer;`;
const WRITTEN = ['pages', 'rate_buckets'];
const CHANGED = ['api_keys', 'projects', 'index_versions', 'missing_paths'];

describe('migrate beside requests of the release before (on a server only: the embedded database has one session)', function () {
  this.timeout(120_000);
  let database: EmptyDatabase;
  let migrator: pg.Client;
  let request: pg.Client;
  let observer: pg.Client;
  let folder: string;

  beforeEach(async function () {
    if (!onServer()) this.skip();
    database = await createEmptyDatabase();
    [migrator, request, observer] = [await database.connect(), await database.connect(), await database.connect()];
    folder = await mkdtemp(join(tmpdir(), 'pathmend-db-'));
    await cp(sqlFolder(), folder, { recursive: true });
    await migrate(migrator, folder);
    await migrator.query('create index missing_paths__earlier on pathmend.missing_paths (project_id)');
  });

  afterEach(async () => {
    if (!onServer()) return;
    await database.drop();
    await rm(folder, { recursive: true });
  });

  /** Tables of ours that the migrator has, or waits for, so that others wait. */
  async function locked(granted: boolean): Promise<string[]> {
    const { rows } = await observer.query<{ name: string }>(
      `select c.relname as name from pg_locks l join pg_class c on c.oid = l.relation
        where l.pid = $1 and l.granted = $2 and c.relnamespace = 'pathmend'::regnamespace and c.relkind in ('r', 'p')
          and c.relname <> all (array['migrations', 'repeatables'])
          and l.mode in ('AccessExclusiveLock', 'ShareRowExclusiveLock')`,
      [(migrator as unknown as { processID: number }).processID, granted],
    );
    return rows.map(({ name }) => name);
  }

  const waitsFor = (table: string): Promise<unknown> =>
    until(`the migration waits for ${table}`, async () => (await locked(false)).includes(table));

  async function begin(): Promise<{ done: Promise<MigrationReport> }> {
    await writeFile(join(folder, 'migrations/0999_later.sql'), LATER);
    const done = migrate(migrator, folder);
    done.catch(() => undefined);
    return { done };
  }

  it('waits for the first table of a request before it holds any other', async () => {
    await request.query('begin; select from pathmend.api_keys');
    const migration = await begin();
    await waitsFor('api_keys');
    expect(await locked(true)).to.deep.equal([]);
    await request.query('select from pathmend.projects, pathmend.index_versions, pathmend.pages; commit');
    expect((await migration.done).applied).to.deep.equal(['0999_later.sql']);
  });

  for (const table of [...CHANGED, ...WRITTEN])
    it(`lets a request go on that holds ${table} and needs what the migration has`, async () => {
      await request.query(`begin; lock table pathmend.${table} in row exclusive mode`);
      const migration = await begin();
      await waitsFor(table);
      for (const other of [...CHANGED, ...WRITTEN])
        await request.query(`lock table pathmend.${other} in row exclusive mode`);
      await request.query('commit');
      expect((await migration.done).applied).to.deep.equal(['0999_later.sql']);
    });

  it('needs no table that only its views, functions, policies and rights are about', async () => {
    const { rows } = await observer.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname = 'pathmend' and tablename not in ('migrations', 'repeatables')`,
    );
    await request.query('begin');
    for (const { name } of rows) await request.query(`lock table ${name} in row exclusive mode`);
    await appendFile(join(folder, 'access/policies.sql'), '-- Changed.\n');
    await appendFile(join(folder, 'access/tenant.sql'), '-- Changed.\n');
    await appendFile(join(folder, 'functions/admit.sql'), '-- Changed.\n');
    const { repeated } = await migrate(migrator, folder);
    expect(repeated).to.include.members(['functions/admit.sql', 'access/policies.sql', 'access/tenant.sql']);
    await request.query('commit');
  });

  it('is deadlocked with no request that goes on all the while', async () => {
    const clients = [request, await database.connect(), await database.connect(), await database.connect()];
    let isOver = false;
    const work = clients.map(async (client, n) => {
      const tables = [...CHANGED, ...WRITTEN];
      for (let round = 0; !isOver; round++) {
        // Requests differ in their order, but begin with what admits them.
        const order = tables.map((_, at) => tables[(at * (n % 2 === 0 ? 1 : 5) + round) % tables.length] ?? '');
        await client.query(`begin; select from pathmend.admit('\\x00', 'search', 'read')`);
        for (const table of order) await client.query(`lock table pathmend.${table} in row exclusive mode`);
        await client.query('commit');
      }
    });
    const all = Promise.all(work);
    all.catch(() => undefined);
    const migration = await begin();
    const report = await Promise.race([migration.done, all]);
    isOver = true;
    await all;
    expect(report).to.have.property('applied');
  });
});

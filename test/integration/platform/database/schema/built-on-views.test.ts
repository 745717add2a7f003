import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { OperatorError } from '#src/base/errors.js';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { migrate, type MigrationReport } from '#src/platform/database/schema/migrate.js';
import { rejection } from '../../../embedding/rejection.js';
import { onServer } from '../../../../support/database.js';
import { createEmptyDatabase, type EmptyDatabase } from '../../../../support/empty-database.js';
import { createLogins } from '../../../../support/logins.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

const suffix = process.pid;
const [dbt, metabase, analyst] = ['dbt', 'metabase', 'analyst'].map((name) => `${name}_${suffix}`) as [
  string,
  string,
  string,
];

/** Dbt, Metabase and an analyst make such objects. */
const BUILT = `
  create role ${dbt}; create role ${metabase}; create role ${analyst};
  create schema marts authorization ${dbt};
  grant usage, create on schema analytics to ${dbt}, ${analyst}; grant usage on schema analytics to ${metabase};
  grant select on analytics.not_founds_daily to ${dbt} with grant option;
  grant select (project, day) on analytics.not_founds_daily to ${metabase};
  grant select on analytics.accessible_projects, analytics.recovery_by_path to ${dbt};
  set role ${dbt};
  grant select on analytics.not_founds_daily to ${metabase};
  create view marts.losses with (security_barrier, security_invoker) as
    select project, day, hits from analytics.not_founds_daily where hits > 0;
  comment on view marts.losses is 'Days with losses; said by dbt''s model.';
  comment on column marts.losses.hits is 'As counted.';
  create view marts."of Projects" as select distinct project as "The Project" from marts.losses;
  alter view marts."of Projects" alter column "The Project" set default 'none';
  create materialized view marts.monthly with (fillfactor = 80) as
    select project, date_trunc('month', day) as month, sum(hits) as hits from marts.losses group by 1, 2;
  create unique index monthly__key on marts.monthly (project, month);
  comment on materialized view marts.monthly is 'By month.';
  comment on index marts.monthly__key is 'One row each.';
  create materialized view marts.later as select * from marts.monthly with no data;
  create table marts.kept as select * from analytics.not_founds_daily;
  create view analytics.by_the_analysts as select project, hits from analytics.not_founds_daily;
  grant select on marts.losses to ${metabase} with grant option;
  grant select on analytics.by_the_analysts to pathmend_analyst, public;
  grant select (month) on marts.monthly to ${metabase};
  reset role;
  alter view analytics.by_the_analysts owner to ${analyst};`;

/** All of it with definitions, owners, rights, options, comments and indexes; without those of views of pathmend. */
const STATE = `
  select c.oid::regclass::text as name, pg_get_userbyid(c.relowner) as owner, c.relkind, c.reloptions, c.relispopulated as filled,
         case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end as text, c.relacl::text as acl,
         array(select a.attname || a.attacl::text from pg_attribute a where a.attrelid = c.oid and a.attacl is not null) as acls,
         array(select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = c.oid) as defaults,
         array(select d.objsubid || d.description from pg_description d where d.objoid = c.oid order by 1) as comments,
         array(select pg_get_indexdef(indexrelid) || obj_description(indexrelid) from pg_index where indrelid = c.oid) as indexes
    from pg_class c where c.relnamespace = 'marts'::regnamespace or c.relname = 'by_the_analysts' order by 1`;

const RIGHTS = `
  select r, v, has_table_privilege(r, v, 'select') as reads, has_table_privilege(r, v, 'select with grant option') as passes_on,
         has_column_privilege(r, v, 'day', 'select') as reads_day
    from unnest(array['${dbt}', '${metabase}', '${analyst}', 'pathmend_analyst']) as r,
         unnest(array['analytics.not_founds_daily', 'analytics.recovery_by_path']) as v order by 1, 2`;

describe('migrate, where others have built on the views', () => {
  let database: EmptyDatabase;
  let client: pg.Client;
  let folder: string;
  const work = temporaryFolder();
  const rows = async (text: string): Promise<unknown> => (await client.query<object>(text)).rows;
  const idOf = async (name: string): Promise<unknown> => rows(`select '${name}'::regclass::oid`);

  before(async () => {
    database = await createEmptyDatabase();
    client = await database.connect();
  });

  after(() => database.drop());

  beforeEach(async () => {
    folder = join(work, String(Math.random()));
    await cp(sqlFolder(), folder, { recursive: true });
    await migrate(client, folder);
    await client.query(BUILT);
  });

  afterEach(async () => {
    await client.query(`rollback; reset role; drop owned by ${dbt}, ${metabase}, ${analyst} cascade`);
    await client.query(`drop role ${dbt}, ${metabase}, ${analyst}`);
    await client.query(`delete from pathmend.migrations where name like '0999%'`);
  });

  const listViews = async (): Promise<string[]> =>
    (await readdir(join(folder, 'views'))).map((file) => `analytics.${file.replace('.sql', '')}`);

  async function change(file: string, from: string | RegExp, to: string): Promise<void> {
    const text = await readFile(join(folder, file), 'utf8');
    expect(text).to.match(from instanceof RegExp ? from : new RegExp(from.replace(/[(){}$|.]/g, '\\$&')));
    await writeFile(join(folder, file), text.replace(from, to));
  }

  /** Migrates, and expects objects and rights of others to be the same before and after. */
  async function migrated(compare = false): Promise<MigrationReport> {
    const before = [await rows(STATE), await rows(RIGHTS)];
    const report = await migrate(client, folder, { compare });
    expect([await rows(STATE), await rows(RIGHTS)]).to.deep.equal(before);
    return report;
  }

  it('finds nothing to do, whatever an analyst put into the schema', async () => {
    expect(await migrated(true)).to.deep.equal({ applied: [], repeated: [], warnings: [] });
  });

  it('gives new rights, as after a role was added, without touching a view', async () => {
    const id = await idOf('analytics.not_founds_daily');
    await change('access/analyst.sql', /$/, '-- another role');
    expect((await migrated(true)).repeated).to.deep.equal(['access/analyst.sql']);
    expect(await idOf('analytics.not_founds_daily')).to.deep.equal(id);
  });

  it('changes text and comments of a view in place, and adds columns at its end', async () => {
    const ids = [await idOf('analytics.not_founds_daily'), await idOf('marts.losses'), await idOf('marts.monthly')];
    await change('views/not_founds_daily.sql', /\n +from/, ',\n 1 as added\n from');
    await change('views/recovery_by_path.sql', /$/, "\ncomment on view analytics.recovery_by_path is 'changed';\n");
    const { repeated } = await migrated(true);
    expect(repeated.filter((name) => name.startsWith('views/'))).to.deep.equal([
      'views/not_founds_daily.sql',
      'views/recovery_by_path.sql',
    ]);
    expect(repeated.filter((name) => name.includes('marts'))).to.deep.equal([]);
    expect(await rows('select added from analytics.not_founds_daily')).to.deep.equal([]);
    expect([
      await idOf('analytics.not_founds_daily'),
      await idOf('marts.losses'),
      await idOf('marts.monthly'),
    ]).to.deep.equal(ids);
  });

  it('mends a view that somebody changed, and all of them, in place', async () => {
    const id = await idOf('analytics.accessible_projects');
    await client.query('alter view analytics.accessible_projects reset (security_barrier)');
    expect((await migrated(true)).repeated).to.include('views/accessible_projects.sql');
    expect(await idOf('analytics.accessible_projects')).to.deep.equal(id);
    expect(await migrate(client, folder)).to.deep.equal({ applied: [], repeated: [], warnings: [] });
  });

  for (const [how, columns, isInPlace] of [
    ['gets a column at its end', 'v.*, 1 as added', true],
    ['gets a column before all others', '1 as added, v.*', false],
  ] as const)
    it(`keeps all that others built and granted over an upgrade in which every view ${how}`, async () => {
      // Metabase reads every view, and the analyst's own one is of several.
      await client.query(`
        grant select on all tables in schema analytics to ${metabase};
        grant select on analytics.searches, analytics.pages to ${analyst};
        set role ${analyst};
        create view analytics.found_pages as
          select s.project, s.day, g.title from analytics.searches s join analytics.pages g on g.project_id = s.project_id;
        comment on view analytics.found_pages is 'Of the analyst.';
        reset role;
        grant select on analytics.found_pages to ${metabase}`);
      const ours = await listViews();
      expect(ours).to.have.length.above(25);
      const grants = `select v, has_table_privilege('${metabase}', v, 'select') as reads, has_table_privilege('pathmend_tenant', v, 'select') as of_api
                        from unnest(array['${ours.join("', '")}', 'analytics.found_pages']) as v order by 1`;
      const before = await rows(grants);
      for (const file of await readdir(join(folder, 'views')))
        await change(`views/${file}`, /^(create view [^]*? as)\n?([^;]*?);/m, `$1 select ${columns} from ($2) as v;`);
      const built = await migrated();
      expect(await rows(grants)).to.deep.equal(before);
      expect(built.repeated.filter((name) => name.startsWith('views/'))).to.have.length(ours.length);
      expect(built.repeated.includes('view analytics.found_pages')).to.equal(!isInPlace);
      expect(await rows('select project, day, title from analytics.found_pages')).to.deep.equal([]);
      for (const view of ours) expect(await rows(`select added from ${view} where false`), view).to.deep.equal([]);
    });

  for (const [what, file, from, to] of [
    [
      'loses a column',
      'views/not_founds_daily.sql',
      /,\n[^\n]* as robot_hits|comment on column [^\n]*robot_hits[^\n]*\n/g,
      '',
    ],
    ['gets a column in between', 'views/not_founds_daily.sql', 'as path,', 'as path, 1 as added,'],
    [
      'changes a type below all others',
      'views/accessible_projects.sql',
      'p.name as project',
      'p.name::varchar(200) as project',
    ],
  ] as const)
    it(`makes again what others built, and says so, where a view ${what}`, async () => {
      await change(file, from, to);
      const { repeated } = await migrated();
      expect(repeated).to.include.members([
        file,
        'view marts.losses',
        'view marts."of Projects"',
        'materialized view marts.monthly',
        'materialized view marts.later',
        'view analytics.by_the_analysts',
      ]);
      expect((await migrate(client, folder, { compare: false })).repeated).to.not.include('view marts.losses');
    });

  it('keeps the grants on a view that a migration makes anew', async () => {
    await client.query(
      `drop owned by ${dbt}, ${analyst} cascade; grant select on analytics.not_founds_daily to ${metabase} with grant option`,
    );
    const before = await rows(RIGHTS);
    await writeFile(join(folder, 'migrations/0999_anew.sql'), 'drop view analytics.not_founds_daily;');
    await migrate(client, folder, { compare: false });
    expect(await rows(RIGHTS)).to.deep.equal(before);
  });

  const REFUSED: Record<string, [harm: string, file: string, text: (was: string) => string, named: string]> = {
    'a view that reads a column which is gone': [
      'create view marts.of_robots as select robot_hits from analytics.not_founds_daily',
      'views/not_founds_daily.sql',
      (was) => was.replace(/,\n[^\n]* as robot_hits|comment on column [^\n]*robot_hits[^\n]*\n/g, ''),
      'marts.of_robots cannot be made again',
    ],
    'a function whose body the catalogue knows': [
      'create function marts.count() returns bigint begin atomic select count(*) from analytics.not_founds_daily; end',
      'views/not_founds_daily.sql',
      (was) => was.replace('as path,', 'as path, 1 as added,'),
      'function marts.count() depends on view analytics.not_founds_daily',
    ],
    'a column of the type of a view': [
      'create table marts.whole (part analytics.not_founds_daily)',
      'views/not_founds_daily.sql',
      (was) => was.replace('as path,', 'as path, 1 as added,'),
      'column part of table marts.whole depends on',
    ],
    'a view on a table that a migration changes': [
      'create view marts.raw as select error from pathmend.pages',
      'migrations/0999_later.sql',
      () => 'alter table pathmend.pages drop column error;',
      'view marts.raw depends on column error',
    ],
    'a view on a column whose type a migration changes': [
      'create view marts.raw as select error from pathmend.pages',
      'migrations/0999_later.sql',
      () => 'alter table pathmend.pages alter column error type varchar;',
      'view marts.raw depends on column "error"',
    ],
  };
  for (const [what, [harm, file, text, named]] of Object.entries(REFUSED))
    it(`stops at ${what}, names it and changes nothing`, async () => {
      await client.query(harm);
      await writeFile(join(folder, file), text(await readFile(join(folder, file), 'utf8').catch(() => '')));
      const before = [await rows(STATE), await rows(RIGHTS)];
      const { message } = await rejection(migrate(client, folder, { compare: false }), OperatorError);
      expect(message).to.include(named).and.include('Nothing was changed').and.include('drop');
      expect([await rows(STATE), await rows(RIGHTS)]).to.deep.equal(before);
    });

  it('names what belongs to others than its role may act for, and needs no right where nothing is made anew (server only)', async function () {
    if (!onServer()) this.skip();
    const logins = await createLogins();
    try {
      const owner = await logins.connect(logins.owner);
      await migrate(owner, folder);
      await logins.admin.query(`
        create schema theirs; create view theirs.losses as select project from analytics.not_founds_daily;
        create view analytics.mine as select project from theirs.losses; grant select on analytics.mine to pathmend_analyst`);
      await change('views/not_founds_daily.sql', /\n +from/, ',\n 1 as added\n from');
      const { repeated, warnings } = await migrate(owner, folder);
      expect([repeated.includes('views/not_founds_daily.sql'), warnings]).to.deep.equal([true, []]);
      await change('views/not_founds_daily.sql', 'as path,', 'as path, 2 as added_too,');
      const { message } = await rejection(migrate(owner, folder, { compare: false }), OperatorError);
      expect(message).to.match(
        /analytics\.not_founds_daily gets other columns.*theirs\.losses \(of \w+\), analytics\.mine \(of/,
      );
      expect((await logins.admin.query('select * from analytics.mine')).rows).to.deep.equal([]);
      await owner.end();
    } finally {
      await logins.drop();
    }
  });
});

import { spawn } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { migrate } from '#src/platform/database/schema/migrate.js';
import { createAnalystLogin, type AnalystLogin } from '../../support/analyst-login.js';
import { recordCookbookMonth } from '../../support/cookbook-month.js';
import { onServer } from '../../support/database.js';
import { afterMarch } from '../../support/demo-month.js';
import { startTestService, type TestService } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const TOOLS = join(process.env['PATHMEND_ANALYSTS_DIR'] ?? '/var/tmp/pathmend-analysts', 'bin');
const example = (...path: string[]): string => join(packageRoot(), 'examples', ...path);

/** The models of the example for dbt, in the order in which they build on each other, and what dbt makes of each. */
const MODELS = { recovery_by_week: 'view', lost_by_section: 'table', recovery_by_month: 'materialized view' };

describe('the examples for analysts', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  let test: TestService;
  let analyst: AnalystLogin;

  before(async () => {
    test = await startTestService({}, { clock: afterMarch() });
    analyst = await createAnalystLogin(test, await recordCookbookMonth(test));
  });

  after(async () => {
    await analyst.leave();
    await test.stop();
  });

  const rows = (statement: string): Promise<Record<string, unknown>[]> =>
    analyst.ask(async (client) => (await client.query<Record<string, unknown>>(statement)).rows);

  /** The same as `dbt run`, without dbt. */
  async function makeModels(): Promise<void> {
    for (const [name, kind] of Object.entries(MODELS)) {
      const model = await readFile(example('dbt', 'models', `${name}.sql`), 'utf8');
      const statement = model.replace(/\{\{ config.*\n/, '').replace(/\{\{ ref\('(\w+)'\) \}\}/g, `${analyst.name}.$1`);
      await analyst.ask((client) => client.query(`create ${kind} ${analyst.name}.${name} as ${statement}`), 'keeps');
    }
  }

  /** A copy of the release whose views all have another first column, so that none can be changed in place. */
  async function changeEveryView(): Promise<string> {
    const copy = join(folder, 'db');
    await cp(sqlFolder(), copy, { recursive: true });
    for (const name of await readdir(join(copy, 'views'))) {
      const file = join(copy, 'views', name);
      const before = await readFile(file, 'utf8');
      const after = before.replace(/^(create view .*? as)\s([^;]+);$/m, '$1 select 1 as added, v.* from ($2) as v;');
      expect(after, name).not.to.equal(before);
      await writeFile(file, after);
    }
    return copy;
  }

  async function upgrade(copy: string): Promise<string[]> {
    const client = await test.service.database.connection.pool.connect();
    try {
      return (await migrate(client, copy, { compare: false })).repeated;
    } finally {
      client.release();
    }
  }

  /** Reads everything of the analyst's, with rights, options and rows. */
  async function stateOfModels(): Promise<unknown[]> {
    const objects = await query(
      test.service,
      `select c.oid::regclass::text as name, c.relkind, c.reloptions, c.relacl::text as rights, pg_get_userbyid(c.relowner) as owner,
              case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end as definition
         from pg_class c where pg_get_userbyid(c.relowner) = $1 and c.relkind in ('v', 'm', 'r') order by 1`,
      [analyst.name],
    );
    const contents = [...Object.keys(MODELS).map((name) => `${analyst.name}.${name}`), 'analytics.of_the_analyst'];
    const state: unknown[] = [objects];
    for (const name of contents) state.push(await rows(`select * from ${name} order by 1, 2, 3`));
    return state;
  }

  it('the statements of pandas and DuckDB have the types that the documents name, with an analyst’s rights', async () => {
    const python = await readFile(example('pandas', 'recovery.py'), 'utf8');
    const [missed, weeks] = [...python.matchAll(/read_sql\(\s+"""([^"]+)"""/g)].map(([, statement = '']) => statement);
    const vectors = /"(select url, vector[^"]+)"/.exec(python)?.[1];
    const duckdb = /\$\$([^$]+)\$\$/.exec(await readFile(example('duckdb', 'recovery.sql'), 'utf8'))?.[1];
    const types = (statement = ''): Promise<string[]> =>
      analyst.ask(async (client) => {
        const { fields, rowCount } = await client.query(statement);
        expect(rowCount, statement).to.be.above(0);
        const oids = fields.map(({ dataTypeID }) => dataTypeID);
        const names = await client.query<{ name: string }>(
          'select format_type(oid, null) as name from unnest($1::int[]) with ordinality as o (oid, place) order by place',
          [oids],
        );
        return names.rows.map(({ name }) => name);
      });
    expect(await types(missed)).to.deep.equal(['timestamp with time zone', 'date', 'text', 'text', 'text']);
    expect(await types(weeks)).to.deep.equal(['date', 'numeric', 'numeric']);
    expect(await types(vectors)).to.deep.equal(['text', 'real[]']);
    expect((await types(duckdb)).slice(0, 3)).to.deep.equal(['timestamp with time zone', 'date', 'text']);
    expect(await rows(weeks ?? '')).to.have.length(4);
  });

  it('models of dbt, a grant and a view inside analytics are alive after an upgrade in which every view changes', async () => {
    await makeModels();
    await query(test.service, `grant create on schema analytics to ${analyst.name}`);
    const built = [
      `create view analytics.of_the_analyst as select project, path, hits from analytics.recovery_by_path`,
      `grant select on analytics.of_the_analyst, ${analyst.name}.recovery_by_week to pathmend_analyst`,
    ];
    await analyst.ask((client) => client.query(built.join(';')), 'keeps');
    const before = await stateOfModels();
    expect(before.slice(1).map((contents) => (contents as unknown[]).length)).to.deep.equal([5, 6, 2, 11]);
    const repeated = await upgrade(await changeEveryView());
    expect(repeated).to.include.members([
      `view ${analyst.name}.recovery_by_week`,
      `materialized view ${analyst.name}.recovery_by_month`,
      'view analytics.of_the_analyst',
    ]);
    for (const { name } of await query<{ name: string }>(
      test.service,
      `select attname as name from pg_attribute where attnum = 1 and attrelid in (
         select oid from pg_class where relnamespace = 'analytics'::regnamespace and relname <> 'of_the_analyst' and relkind = 'v')`,
    ))
      expect(name).to.equal('added');
    expect(await stateOfModels()).to.deep.equal(before);
    await upgrade(sqlFolder());
    expect(await stateOfModels()).to.deep.equal(before);
    const drops = [
      'analytics.of_the_analyst',
      ...Object.keys(MODELS).map((name) => `${analyst.name}.${name}`),
    ].reverse();
    const kinds = Object.fromEntries(Object.entries(MODELS).map(([name, kind]) => [`${analyst.name}.${name}`, kind]));
    await analyst.ask(async (client) => {
      for (const name of drops) await client.query(`drop ${kinds[name] ?? 'view'} ${name}`);
    }, 'keeps');
  });

  describe('run as their READMEs say (on a server, where the tools are: scripts/servers/analysts.sh)', () => {
    before(function () {
      if (!onServer() || !existsSync(join(TOOLS, 'dbt'))) this.skip();
    });

    async function run(program: string, args: readonly string[], more: Record<string, string> = {}): Promise<string> {
      const at = new URL(analyst.url ?? '');
      const child = spawn(join(TOOLS, program), args, {
        cwd: folder,
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: folder,
          ANALYST_URL: at.href,
          PGHOST: at.hostname,
          PGPORT: at.port,
          PGDATABASE: at.pathname.slice(1),
          PGUSER: at.username,
          PGPASSWORD: at.password,
          ...more,
        },
      });
      const printed = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      expect(child.exitCode, printed.slice(0, 2).join('\n')).to.equal(0);
      return printed[0];
    }

    it('dbt makes a view, a table and a materialized view, and again after an upgrade in which every view changed', async () => {
      await cp(example('dbt'), join(folder, 'dbt'), { recursive: true });
      const dbt = ['run', '--project-dir', 'dbt', '--profiles-dir', 'dbt', '--no-use-colors'];
      const options = { DBT_SEND_ANONYMOUS_USAGE_STATS: 'false' };
      expect(await run('dbt', dbt, options)).to.include('PASS=3 WARN=0 ERROR=0');
      const months = `select month::text, people, recovered from ${analyst.name}.recovery_by_month order by 1`;
      const counted = [
        { month: '2026-02-01', people: '4', recovered: '4' },
        { month: '2026-03-01', people: '38', recovered: '17' },
      ];
      expect(await rows(months)).to.deep.equal(counted);
      expect(await upgrade(await changeEveryView())).to.include(`view ${analyst.name}.recovery_by_week`);
      expect(await rows(months)).to.deep.equal(counted);
      expect(await run('dbt', dbt, options)).to.include('PASS=3 WARN=0 ERROR=0');
      await upgrade(sqlFolder());
      expect(await rows(months)).to.deep.equal(counted);
    });

    it('pandas has hours of a time zone, shares as numbers, and vectors as numbers', async () => {
      const printed = await run('python', [example('pandas', 'recovery.py')]);
      // The 24 people of nine in UTC: summer time begins on the 29th.
      expect(printed).to.match(/hour in Berlin\n10 +24\n11 +2\n/);
      expect(printed).to.match(/2026-03-02 +11\.0 +9\.0 +0\.82\n/);
      expect(printed).to.match(/exchange-an-item\thttps:\/\/www\.kettleandpine\.example\/help\/returns\/exchanges\n/);
    });

    it('SQLAlchemy with psycopg2, as Superset has it, lists the views with the types of their columns', async () => {
      const program = `
import os, sqlalchemy
engine = sqlalchemy.create_engine(os.environ["ANALYST_URL"].replace("postgres://", "postgresql+psycopg2://", 1))
inspector = sqlalchemy.inspect(engine)
print(sorted(inspector.get_view_names("analytics")))
print({c["name"]: str(c["type"]) for c in inspector.get_columns("not_founds", "analytics")})`;
      const printed = await run('python', ['-c', program]);
      expect(printed).to.include("'missing_paths', 'not_founds', 'not_founds_daily'");
      expect(printed).to.include("'at': 'TIMESTAMP', 'host': 'TEXT'").and.to.include("'day': 'DATE'");
    });

    it('DuckDB copies a month and counts people by section', async () => {
      const extension = join(folder, '.duckdb/extensions/v1.5.5/linux_amd64');
      await mkdir(extension, { recursive: true });
      const name = 'duckdb_extension_postgres_scanner/extensions/v1.5.5/postgres_scanner.duckdb_extension';
      const packages = join(TOOLS, '../lib', (await readdir(join(TOOLS, '../lib')))[0] ?? '', 'site-packages');
      await cp(join(packages, name), join(extension, 'postgres_scanner.duckdb_extension'));
      const program = `import duckdb, sys; print(duckdb.connect().sql(open(sys.argv[1]).read()).fetchall())`;
      const printed = await run('python', ['-c', program, example('duckdb', 'recovery.sql')]);
      expect(printed).to.include("('blog', 12, 0.42), ('help', 8, 0.75), ('products', 8, 0.5), (None, 4, 0.0)");
    });
  });
});

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { sqlState } from '#src/platform/database/session/database-errors.js';
import { rejection } from '../../embedding/rejection.js';
import { clientPrograms, createAdministrator, type Administrator } from '../../../support/administrator.js';
import { onServer } from '../../../support/database.js';
import { shellBlocks } from '../../../support/document.js';
import { mustStaySecret } from '../../../support/said-aloud.js';

const DENIED = '42501';

describe("what database.md says about roles and analysts, typed (on a server, with PostgreSQL's client programs)", function () {
  this.timeout(120_000);
  let admin: Administrator;
  let superuser: pg.Client;
  let leave: (() => Promise<void>) | undefined;
  let blocks: string[];

  before(async function () {
    const programs = onServer() ? await clientPrograms() : undefined;
    if (programs === undefined) this.skip();
    admin = await createAdministrator(process.env['TEST_DATABASE_URL'] ?? '', programs);
    leave = async () => {
      await superuser.end();
      await admin.leave();
    };
    blocks = await shellBlocks('docs/operate/database.md', 'Database roles');
  });

  after(async () => {
    await leave?.();
  });

  async function connected<T>(login: 'OWNER' | 'API' | 'ANALYST', work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: admin.urlOf(login) });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  async function passwords(): Promise<string[]> {
    const { rows } = await superuser.query<{ rolpassword: string }>(
      'select rolpassword from pg_authid where rolname = any ($1) order by rolname',
      [[admin.names['OWNER'], admin.names['API']]],
    );
    return rows.map((row) => row.rolpassword);
  }

  it('makes the database, then logins that may do what they should', async () => {
    await admin.type(blocks[0]);
    const { stdout } = await admin.type(blocks[1]);
    expect(stdout.replace(/\s/g, ''), 'it prints no password').to.not.include(admin.names['OWNER_PASSWORD'] ?? '');
    superuser = await admin.asSuperuser(admin.names);
    expect(await passwords()).to.have.length(2);
  });

  it('run again, it sets the passwords, a new one too', async () => {
    const before = await passwords();
    admin.names['OWNER_PASSWORD'] = randomUUID();
    mustStaySecret(admin.names['OWNER_PASSWORD']);
    await admin.type(blocks[1]);
    expect((await passwords()).filter((password) => before.includes(password))).to.have.length(0);
  });

  it('lets the owner make the tables, without a warning', async () => {
    const { stderr, stdout } = await admin.type(blocks[2]);
    expect(stdout).to.include('Applied: 0001_');
    expect(stderr).to.equal('');
  });

  it('an analyst logs in, reads every view, and nothing else', async () => {
    const [make, read] = await shellBlocks('docs/operate/database.md', 'Analysts');
    await admin.type(make);
    expect((await admin.type(read)).stdout).to.include('(0 rows)');
    const names = async (schema: string): Promise<string[]> =>
      (
        await superuser.query<{ name: string }>(
          `select format('%I.%I', schemaname, relname) as name from (
         select schemaname, tablename as relname from pg_tables union all select schemaname, viewname from pg_views) as r where schemaname = $1`,
          [schema],
        )
      ).rows.map(({ name }) => name);
    const [views, tables] = [await names('analytics'), [...(await names('pathmend')), ...(await names('pgboss'))]];
    expect(views).to.include.members(['analytics.missing_paths', 'analytics.not_founds_daily']);
    expect(tables).to.include.members(['pathmend.pages', 'pathmend.api_keys', 'pgboss.job_common']);
    await connected('ANALYST', async (client) => {
      for (const view of views) await client.query(`select * from ${view}`);
      for (const table of tables)
        expect(sqlState(await rejection(client.query(`select from ${table}`), Error)), table).to.equal(DENIED);
      for (const statement of [
        'create temporary table mine ()',
        'create table public.mine ()',
        'select pg_advisory_lock(1)',
        'select pg_try_advisory_xact_lock_shared(1, 2)',
      ]) {
        expect(sqlState(await rejection(client.query(statement), Error)), statement).to.equal(DENIED);
      }
    });
  });

  it('an analyst of one project logs in, and sees that project and no other', async () => {
    const [, , make, read] = await shellBlocks('docs/operate/database.md', 'Analysts');
    await superuser.query(`insert into pathmend.projects (name) values ('bea-site'), ('not-for-bea')`);
    await admin.type(make);
    const { stdout } = await admin.type(read);
    expect(stdout).to.include('bea-site').and.include('(1 row)');
    const url = new URL(admin.urlOf('ANALYST'));
    url.username = admin.names['PROJECT_ANALYST'] ?? '';
    const bea = new pg.Client({ connectionString: url.href });
    await bea.connect();
    for (const statement of [
      'select from pathmend.analyst_projects',
      `update pathmend.analyst_projects set login = current_user`,
      'set role pathmend_analyst',
      'set role pathmend_tenant',
    ])
      expect(sqlState(await rejection(bea.query(statement), Error)), statement).to.equal(DENIED);
    await bea.end();
  });

  it('lets in nobody else', async () => {
    const stranger = `stranger_${randomUUID().slice(0, 8)}`;
    await superuser.query(`create role ${stranger} login`);
    const url = new URL(admin.urlOf('OWNER'));
    url.username = stranger;
    const error = await rejection(new pg.Client({ connectionString: url.href }).connect(), Error);
    await superuser.query(`drop role ${stranger}`);
    expect(sqlState(error)).to.equal(DENIED);
  });
});

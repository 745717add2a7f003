import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { sqlState } from '#src/platform/database/session/database-errors.js';
import { rejection } from '../../embedding/rejection.js';
import { onServer } from '../../../support/database.js';
import { createLogins, type Logins } from '../../../support/logins.js';
import { cliJson, runCli, startServer, type ServerProcess } from '../../../support/processes.js';
import { send, type Answer } from '../../../support/service.js';
import { until } from '../../../support/until.js';

const DENIED = '42501';

describe('database roles of the least privilege (on a server only: the embedded database has one role)', function () {
  this.timeout(120_000);
  let logins: Logins;
  let processes: ServerProcess[] = [];
  let key: string;

  const as = (login: string): Record<string, string> => ({ DATABASE_URL: logins.urlOf(login) });

  before(async function () {
    if (!onServer()) this.skip();
    logins = await createLogins();
  });

  after(async () => {
    if (!onServer()) return;
    await Promise.all(processes.map((server) => server.end('SIGTERM')));
    await logins.drop();
  });

  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    send(processes[0]?.url ?? '', method, path, body, { Authorization: `Bearer ${key}` });

  it('an api whose role may change nothing waits for nobody: it says who must migrate', async () => {
    const { code, stderr } = await runCli(['serve', '--role', 'api'], as(logins.api));
    expect(code).to.equal(1);
    expect(stderr).to.match(/permission denied|run `migrate`/);
  });

  it('the owner, neither superuser nor maker of roles, migrates without a warning', async () => {
    const { applied, warnings } = (await cliJson(['migrate'], as(logins.owner))) as {
      applied: string[];
      warnings: string[];
    };
    const migrations = await readdir(join(packageRoot(), 'db', 'migrations'));
    expect(applied).to.have.lengthOf(migrations.length);
    expect(warnings).to.deep.equal([]);
  });

  it("an api serves everything with the role pathmend_service, beside a worker of the owner's", async () => {
    await cliJson(['project', 'create', '--name', 'shop', '--plan', 'scale'], as(logins.owner));
    ({ key } = (await cliJson(['key', 'create', '--project', 'shop', '--mode', 'live'], as(logins.owner))) as {
      key: string;
    });
    processes = await Promise.all([
      startServer(as(logins.api), ['--role', 'api']),
      startServer(as(logins.owner), ['--role', 'worker']),
    ]);
    const pages = ['kettles', 'teapots'].map((name) => ({
      url: `https://shop.example/${name}`,
      content: `All about ${name}, large and small.`,
      metadata: { name },
    }));
    for (const page of pages) expect((await call('POST', '/v1/pages/upsert', page)).status).to.equal(202);
    await until(
      'both are indexed',
      async () => (await call('POST', '/v1/retrieve', { query: 'kettles', top_k: 5 })).body.documents.length === 2,
    );
    const answer = await call('POST', '/v1/suggest', {
      path: '/ketles',
      options: { searchThreshold: 0, filters: { name: 'kettles' } },
    });
    expect((answer.body.suggestions as { url: string }[]).map(({ url }) => url)).to.deep.equal(['/kettles']);
    expect((await call('POST', '/v1/semantic-search', { query: 'teapots' })).status).to.equal(200);
    expect(
      (
        await call('POST', '/v1/events', {
          raw_path: '/gone',
          search_id: answer.body.search_id,
          clicked_url: '/kettles',
          clicked_rank: 1,
        })
      ).status,
    ).to.equal(204);
    expect((await call('DELETE', '/v1/pages/delete', { url: pages[1]?.url })).status).to.equal(200);
    expect((await send(processes[0]?.url ?? '', 'GET', '/readyz')).status).to.equal(200);
    const logged = async (): Promise<boolean> =>
      (await logins.admin.query(`select from pathmend.searches`)).rowCount === 2;
    await until('searches are logged', logged);
    expect(processes.map((server) => server.stderr())).to.deep.equal(['', '']);
  });

  it("the api's role deletes a project, as the console does", async () => {
    await cliJson(['project', 'create', '--name', 'short-lived'], as(logins.owner));
    const { deleted } = (await cliJson(['project', 'delete', '--project', 'short-lived', '--yes'], as(logins.api))) as {
      deleted: boolean;
    };
    expect(deleted).to.equal(true);
    const { rowCount } = await logins.admin.query(`select from pathmend.projects where name = 'short-lived'`);
    expect(rowCount).to.equal(0);
  });

  for (const [what, statement] of Object.entries({
    'make a role': 'create role intruder',
    'become the owner': `set role pathmend_analyst`,
    'make a database': 'create database intruders',
    'make a table': 'create table pathmend.mine (id int)',
    'change a table': 'alter table pathmend.pages disable row level security',
    'drop a table': 'drop table pathmend.pages',
    'replace a function': `create or replace function pathmend.caller_project() returns uuid language sql as 'select null::uuid'`,
    'rewrite the history of migrations': `delete from pathmend.migrations`,
    "read the server's password hashes": 'select rolpassword from pg_authid',
    'read a file of the server': `select pg_read_file('/etc/passwd')`,
    'run a program on the server': `copy (select 1) to program 'true'`,
    'drop events': `select pathmend.drop_old_weeks(now())`,
  })) {
    it(`the api's role cannot ${what}`, async () => {
      const client = await logins.connect(logins.api);
      const error = await rejection(client.query(statement), Error);
      await client.end();
      expect(sqlState(error)).to.equal(DENIED);
    });
  }

  it('neither login is a superuser, makes roles or databases, or passes row level security', async () => {
    const { rows } = await logins.admin.query(
      `select from pg_roles where rolname = any ($1) and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)`,
      [[logins.owner, logins.api]],
    );
    expect(rows).to.have.length(0);
  });
});

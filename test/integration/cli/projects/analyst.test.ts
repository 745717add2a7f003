import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { urlOfLogin } from '#src/cli/projects/analyst-commands.js';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { migrate } from '#src/platform/database/schema/migrate.js';
import { jsonInProcess, runInProcess } from '../../../support/commands.js';
import { onServer } from '../../../support/database.js';
import { mustStaySecret } from '../../../support/said-aloud.js';
import { createLogins } from '../../../support/logins.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';
import { query } from '../../../support/sql.js';

describe('analyst create', function () {
  this.timeout(60_000);
  let project: TestProject;
  let other: TestProject;
  const names: string[] = [];

  before(async () => {
    [project, other] = [await sharedService().newProject(), await sharedService().newProject()];
    for (const of of [project, other]) await of.post('/v1/events', { raw_path: '/missing' });
  });

  after(async () => {
    for (const name of names) {
      await query(sharedService().service, `drop owned by ${name} cascade`);
      await query(sharedService().service, `drop role ${name}`);
    }
  });

  async function create(...args: string[]): Promise<{ name: string; url: string }> {
    const name = `ann_${randomUUID().slice(0, 8)}`;
    const made = (await jsonInProcess(['analyst', 'create', name, ...args])) as { name: string; url: string };
    names.push(name);
    expect(made.name).to.equal(name);
    mustStaySecret(new URL(made.url).password);
    return made;
  }

  async function asAnalyst<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  const seenBy = (client: pg.Client): Promise<string[]> =>
    client
      .query<{ project: string }>('select project from analytics.accessible_projects')
      .then(({ rows }) => rows.map((row) => row.project));

  it('says on the embedded database that it has no logins', async function () {
    if (onServer()) return this.skip();
    const { code, stderr } = await runInProcess(['analyst', 'create', 'ann']);
    expect(code).to.equal(1);
    expect(stderr).to.equal('The embedded database has no logins: analysts need a server, which DATABASE_URL names.\n');
    expect(await query(sharedService().service, `select from pg_roles where rolname = 'ann'`)).to.be.empty;
  });

  it("the url that it prints never has the operator's own password, and has the login where the server is a socket", () => {
    for (const [server, printed] of [
      ['postgres://owner:secret@db.example:6432/pathmend', 'postgres://ann:new@db.example:6432/pathmend'],
      [
        'postgres://owner@db.example/pathmend?sslmode=verify-full&options=-c%20jit%3Doff&password=secret',
        'postgres://ann:new@db.example/pathmend?sslmode=verify-full&options=-c%20jit%3Doff',
      ],
      [
        'postgres:///pathmend?host=/run/postgresql&user=owner&password=secret',
        'postgres:///pathmend?host=%2Frun%2Fpostgresql&user=ann&password=new',
      ],
    ] as const)
      expect(urlOfLogin(server, 'ann', 'new')).to.equal(printed);
  });

  describe('on a server', () => {
    before(function () {
      if (!onServer()) this.skip();
    });

    it('makes a login that reads its project, not another, and writes into its own schema alone', async () => {
      const { name, url } = await create('--project', project.row.name);
      await asAnalyst(url, async (client) => {
        expect(await seenBy(client)).to.deep.equal([project.row.name]);
        const denied = await client.query('create table analytics.mine (x int)').then(() => 'done', String);
        expect(denied).to.contain('permission denied');
        await client.query(`create view ${name}.broken as select project, path from analytics.missing_paths`);
        await client.query('create table days as select current_date as day');
        expect((await client.query(`select day from ${name}.days`)).rowCount).to.equal(1);
      });
    });

    it('without a project, the login reads all', async () => {
      const { url } = await create();
      expect(await asAnalyst(url, seenBy)).to.include.members([project.row.name, other.row.name]);
    });

    it('what stands in its schema is there after migrate has made every view again', async () => {
      const { name, url } = await create('--project', project.row.project_id);
      await asAnalyst(url, (client) =>
        client.query(`create view ${name}.mine as select project, host, utm_campaign from analytics.not_founds`),
      );
      await query(sharedService().service, `update pathmend.repeatables set sha256 = '' where name like 'views/%'`);
      expect(await jsonInProcess(['migrate'])).to.deep.include({ applied: [] });
      await asAnalyst(url, async (client) => {
        expect(await seenBy(client)).to.deep.equal([project.row.name]);
        await client.query(`select * from ${name}.mine`);
        await client.query(`create table ${name}.more (x int)`);
      });
    });

    it('leaves the console its figures, whose login became a member of the role that sees one project', async () => {
      const logins = await createLogins();
      try {
        const owner = await logins.connect(logins.owner);
        await migrate(owner, sqlFolder());
        await owner.query(`insert into pathmend.projects (name) values ('one'), ('two')`);
        await logins.admin.query(`grant pathmend_project_analyst to ${logins.owner}`);
        expect((await owner.query('select from analytics.accessible_projects')).rowCount).to.equal(2);
        await owner.end();
      } finally {
        await logins.drop();
      }
    });

    it('refuses a name that is taken or is no name, and leaves nothing of it; an entry of the audit log names who was made', async () => {
      const { name } = await create('--project', project.row.name);
      for (const [tried, reason] of [
        [name, `There is a login or role ${name} already.`],
        ['analytics', 'There is a schema analytics already.'],
        ['Ann B', 'The name of an analyst must be 1 to 63 small letters'],
        ['pg_ann', 'The name of an analyst must be 1 to 63 small letters'],
      ] as const) {
        const { code, stderr, stdout } = await runInProcess(['analyst', 'create', tried]);
        expect([code, stdout], tried).to.deep.equal([1, '']);
        expect(stderr, tried).to.contain(reason).and.not.to.contain(' at ');
      }
      expect(await query(sharedService().service, `select from pg_roles where rolname = 'analytics'`)).to.be.empty;
      const entries = await project.query<{ subject: string }>(
        `select subject from pathmend.audit_log where about_project = $1 and action = 'analyst made'`,
      );
      expect(entries.map(({ subject }) => subject)).to.include(name);
    });
  });
});

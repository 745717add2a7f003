import { join } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { packageRoot } from '#src/base/package-root.js';
import { clientPrograms } from '../../support/administrator.js';
import { createTestDatabase, onServer, type TestDatabase } from '../../support/database.js';
import { typeBlock } from '../../support/document.js';
import type { Finished } from '../../support/processes.js';
import { mustStaySecret } from '../../support/said-aloud.js';
import { connectTo } from '../../support/sql.js';

describe("db/roles.sql on a shared server (with PostgreSQL's client programs)", function () {
  this.timeout(60_000);
  const [admin, owner, api] = ['admin', 'owner', 'api'].map((name) => `roles_${name}_${process.pid}`) as [
    string,
    string,
    string,
  ];
  const secret = `never-shown-${process.pid}`;
  let database: TestDatabase;
  let superuser: pg.Client;
  let programs: string;

  before(async function () {
    const folder = onServer() ? await clientPrograms() : undefined;
    if (folder === undefined) this.skip();
    programs = folder;
    mustStaySecret(secret);
    database = await createTestDatabase();
    superuser = await connectTo(database);
  });

  after(async () => {
    if (!onServer()) return;
    for (const role of [owner, api, admin])
      await superuser.query(`do $$ begin if to_regrole('${role}') is not null then
        reassign owned by ${role} to current_user; drop owned by ${role} cascade; drop role ${role}; end if; end $$`);
    await superuser.end();
    await database.drop();
  });

  /** Runs the file as a login with these rights. */
  async function run(rights: string): Promise<Finished> {
    await superuser.query(`do $$ begin if to_regrole('${admin}') is null then create role ${admin}; end if; end $$`);
    await superuser.query(`alter role ${admin} login password '${secret}' ${rights}`);
    const url = new URL(database.environment['DATABASE_DIRECT_URL'] ?? database.environment['DATABASE_URL'] ?? '');
    Object.assign(url, { username: admin, password: secret });
    const values = { owner, api, owner_password: secret, api_password: secret };
    const set = Object.entries(values)
      .map(([name, value]) => `--set=${name}=${value}`)
      .join(' ');
    return typeBlock(
      `psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --dbname="$URL" ${set} --file=${join(packageRoot(), 'db/roles.sql')}`,
      { cwd: packageRoot(), env: { PATH: `${programs}:${process.env['PATH'] ?? ''}`, URL: url.href } },
    );
  }

  it('says whom it needs, and prints no password, where its login may make no roles', async () => {
    const { code, stdout, stderr } = await run('nocreaterole');
    expect(code).to.equal(3);
    expect(stderr).to.match(/db\/roles\.sql cannot make the logins as roles_admin.*: permission denied/);
    expect(stderr).to.include('Run it as a superuser');
    expect(stdout + stderr).to.not.include(secret);
  });

  it('runs for one who may make roles and owns the database, and says once what stays open', async () => {
    await superuser.query(`alter role ${admin} createrole`);
    // The roles without login belong to the whole server, which has them: their administrator may grant them.
    for (const role of ['pathmend_tenant', 'pathmend_service', 'pathmend_analyst', 'pathmend_project_analyst'])
      await superuser.query(
        `do $$ begin if to_regrole('${role}') is null then create role ${role} nologin; end if; end $$;
         grant ${role} to ${admin} with admin option`,
      );
    await superuser.query('create extension if not exists vector');
    const { rows } = await superuser.query<{ name: string }>('select current_database() as name');
    await superuser.query(`alter database "${rows[0]?.name}" owner to ${admin}; alter schema public owner to ${admin}`);
    const { code, stdout, stderr } = await run('createrole');
    expect(code, stderr).to.equal(0);
    expect(stderr.match(/WARNING/g)).to.have.length(1);
    expect(stderr).to.match(/Only a superuser can keep others from advisory locks/);
    expect(stdout + stderr).to.not.include(secret);
  });
});

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { explainRefusal } from '#src/platform/database/explain-refusal.js';
import { createTestDatabase, onServer, type TestDatabase } from '../../support/database.js';
import { runCli } from '../../support/processes.js';

const COMMANDS = [['migrate'], ['serve'], ['project', 'list'], ['key', 'list', '--project', 'shop']];

describe('a database server that refuses a command', function () {
  this.timeout(120_000);

  it('is explained by role, database and what to run, without a word of the password', () => {
    const url = 'postgres://ann:secret@db.internal/shop';
    const failed = (code: string, message: string): string =>
      explainRefusal(Object.assign(new Error(message), { code }), url)?.message ?? '';
    expect(failed('28P01', 'password authentication failed for user "ann"'))
      .to.include('refuses the login of the role "ann"')
      .and.include('PGPASSWORD')
      .and.not.include('secret');
    expect(failed('3D000', 'database "shop" does not exist'))
      .to.include('There is no database "shop"')
      .and.include('createdb')
      .and.include('db/roles.sql');
    expect(failed('42501', 'permission denied for database "shop"'))
      .to.include('The database role "ann" lacks a right on the database "shop"')
      .and.include('migrate');
    expect(explainRefusal(new Error('anything else'), url)).to.equal(undefined);
  });

  describe('on a server', () => {
    const login = `nobody_${randomUUID().slice(0, 8)}`;
    let database: TestDatabase;
    let admin: pg.Client;

    before(async function () {
      if (!onServer()) this.skip();
      database = await createTestDatabase();
      admin = new pg.Client({ connectionString: database.environment['DATABASE_URL'] });
      await admin.connect();
      await admin.query(`create role ${login} login`);
    });

    after(async () => {
      if (!onServer()) return;
      await admin.end();
      await database.drop();
      const server = new pg.Client({ connectionString: process.env['TEST_DATABASE_URL'] });
      await server.connect();
      await server.query(`drop role ${login}`);
      await server.end();
    });

    async function expectOneLine(args: readonly string[], change: Partial<URL>, expected: string): Promise<void> {
      const url = Object.assign(new URL(database.environment['DATABASE_URL'] ?? ''), change);
      const { code, stderr } = await runCli(args, { DATABASE_URL: url.href });
      expect(code).to.equal(1);
      expect(stderr.trim().split('\n'), stderr).to.have.length(1);
      expect(stderr).to.include(expected);
    }

    for (const args of COMMANDS) {
      it(`${args.join(' ')} says in one line that there is no such database`, () =>
        expectOneLine(
          args,
          { pathname: '/pathmend_is_not_there' },
          'There is no database "pathmend_is_not_there" on this server.',
        ));

      it(`${args.join(' ')} says in one line which role may not make anything`, () =>
        expectOneLine(args, { username: login }, `The database role "${login}" lacks a right`));
    }

    it('says in one line which role may not even come in', async () => {
      await admin.query(
        `revoke connect on database ${new URL(database.environment['DATABASE_URL'] ?? '').pathname.slice(1)} from public`,
      );
      await expectOneLine(['migrate'], { username: login }, `The database role "${login}" lacks a right`);
    });
  });
});

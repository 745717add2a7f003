import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { sqlState } from '#src/platform/database/session/database-errors.js';
import { rejection } from '../integration/embedding/rejection.js';
import { clientPrograms, createAdministrator, type Administrator } from '../support/administrator.js';
import { onServer } from '../support/database.js';
import { shellBlocks } from '../support/document.js';
import { startServer } from '../support/processes.js';
import { send } from '../support/service.js';
import { createUnlimitedProject } from '../../scripts/service/service-process.js';
import { answersOf, fillSite, until } from '../../scripts/faults/backup/site.js';

const DENIED = '42501';
/** So that a small project has indexes of its own. */
const OWN_INDEX_PASSAGES = '5';

describe("what backup.md says about backup and restore, typed (on a server, with PostgreSQL's client programs)", function () {
  this.timeout(180_000);
  let admin: Administrator;
  let leave: (() => Promise<void>) | undefined;
  let roles: string[];
  let restore: string[];
  let key: string;
  /** The answers of the service on the original database. */
  let answers: string[];

  before(async function () {
    const programs = onServer() ? await clientPrograms() : undefined;
    if (programs === undefined) this.skip();
    admin = await createAdministrator(process.env['TEST_DATABASE_URL'] ?? '', programs);
    leave = () => admin.leave();
    roles = await shellBlocks('docs/operate/database.md', 'Database roles');
    restore = await shellBlocks('docs/operate/backup.md', 'Restore');
    for (const block of roles) await admin.type(block);
    const environment = { DATABASE_URL: admin.urlOf('OWNER'), OWN_INDEX_PASSAGES };
    key = await createUnlimitedProject('backup', { ...process.env, ...environment });
    const pool = new pg.Pool({ connectionString: admin.urlOf('OWNER'), max: 1 });
    const service = await startServer(environment);
    await fillSite(service.url, key, pool);
    await until(
      pool,
      `select exists (select from pathmend.index_segments) and not exists (select from pathmend.turns where what = 'index_segments') as done`,
    );
    await service.end('SIGTERM');
    await pool.end();
    answers = await answersAsApi(admin.names);
  });

  after(() => leave?.());

  /**
   * The answers of a service with the api's login. That login may not change the schema, so that its start does not
   * repair what is wrong with a restored schema.
   */
  async function answersAsApi(names: Record<string, string>): Promise<string[]> {
    const service = await startServer({ DATABASE_URL: admin.urlOf('API', names), OWN_INDEX_PASSAGES }, [
      '--role',
      'api',
    ]);
    try {
      expect((await send(service.url, 'GET', '/readyz')).status).to.equal(200);
      return await answersOf(service.url, key);
    } finally {
      await service.end('SIGTERM');
    }
  }

  async function expectSame(names: Record<string, string>): Promise<void> {
    const after = await answersAsApi(names);
    expect(after.filter((answer, at) => answer !== answers[at])).to.deep.equal([]);
  }

  /** The api's login sees no row of a project that it does not name, and may change no table. */
  async function expectGuarded(): Promise<void> {
    const api = new pg.Client({ connectionString: admin.urlOf('API') });
    await api.connect();
    await api.query('set role pathmend_tenant');
    expect((await api.query('select from pathmend.pages')).rowCount).to.equal(0);
    await api.query('reset role');
    for (const statement of [
      'truncate pathmend.pages',
      'create table pathmend.mine ()',
      'alter table pathmend.pages disable row level security',
    ])
      expect(sqlState(await rejection(api.query(statement), Error)), statement).to.equal(DENIED);
    await api.end();
  }

  async function withDatabase(): Promise<Record<string, string>> {
    const names = admin.newNames();
    await admin.type(roles[0], names);
    await admin.type(roles[1], names);
    return names;
  }

  it('a dump is restored by an owner who may do no more, and answers as before', async () => {
    await admin.type((await shellBlocks('docs/operate/backup.md', 'Back up'))[0]);
    const names = await withDatabase();
    const { stdout, stderr } = await admin.type(restore[0], names);
    expect(stdout).to.include('up to date');
    expect(stderr, 'warnings').to.equal('');
    await expectSame(names);
    // The dump does not contain the indexes of large projects; a start with the owner builds them anew.
    const owner = admin.urlOf('OWNER', names);
    const pool = new pg.Pool({ connectionString: owner, max: 1 });
    const indexes = `select count(*) >= 4 as done from pg_indexes where schemaname = 'pathmend_segments'`;
    expect((await pool.query<{ done: boolean }>(indexes)).rows).to.deep.equal([{ done: false }]);
    const service = await startServer({ DATABASE_URL: owner, OWN_INDEX_PASSAGES });
    await until(pool, indexes);
    await service.end('SIGTERM');
    await pool.end();
    await expectSame(names);
  });

  it('so is a dump of the whole database', async () => {
    await admin.type('pg_dump --dbname="$DATABASE" --format=custom --file=pathmend.dump');
    const names = await withDatabase();
    expect((await admin.type(restore[1], names)).stderr, 'warnings').to.equal('');
    await expectSame(names);
  });

  it('what the nightly backup made is all that is needed when the database is gone', async () => {
    const { stdout } = await admin.type((await shellBlocks('docs/operate/backup.md', 'Nightly backup'))[0]);
    const dump = stdout.trim();
    // The same logins again, on a database of the same name: only the dump is left.
    await admin.type('dropdb --force "$DATABASE"');
    for (const block of roles.slice(0, 2)) await admin.type(block);
    const { stderr } = await admin.type((restore[0] ?? '').replaceAll('pathmend.dump', dump));
    expect(stderr, 'warnings').to.equal('');
    await expectSame(admin.names);
    await expectGuarded();
  });

  it('an embedded database moves to a server, and answers as before', async () => {
    const DATA_DIR = join(admin.folder, 'data');
    const embeddedKey = await createUnlimitedProject('backup', { ...process.env, DATABASE_URL: undefined, DATA_DIR });
    const service = await startServer({ DATA_DIR });
    const pool = new pg.Pool({
      connectionString: `postgres://postgres@/postgres?host=${encodeURIComponent(join(DATA_DIR, 'socket'))}`,
      max: 1,
    });
    await fillSite(service.url, embeddedKey, pool);
    await pool.end();
    const before = await answersOf(service.url, embeddedKey);
    await admin.type((await shellBlocks('docs/operate/backup.md', 'Move from the embedded database to a server'))[0]);
    await service.end('SIGTERM');
    const names = await withDatabase();
    await admin.type(restore[0], names);
    const worker = await startServer({ DATABASE_URL: admin.urlOf('OWNER', names) });
    const after = await answersOf(worker.url, embeddedKey);
    await worker.end('SIGTERM');
    expect(after.filter((answer, at) => answer !== before[at])).to.deep.equal([]);
  });
});

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { startEmbedded } from '#src/platform/database/embedded/start-embedded.js';
import { compareSchema } from '#src/platform/database/schema/catalogue.js';
import { ask, type Heard } from '../../scripts/faults/ask.js';
import { allIndexed, faultsOf } from '../../scripts/faults/kills/check.js';
import { startClients } from '../../scripts/faults/kills/clients.js';
import { makeNextRelease, type NextRelease } from '../../scripts/faults/next-release.js';
import { unlimitedKey } from '../../scripts/faults/restarts/rounds.js';
import { startChild, type Child } from '../../scripts/service/child.js';
import { createTestDatabase, onServer, type TestDatabase } from '../support/database.js';
import { createEmptyDatabase } from '../support/empty-database.js';
import { cliJson, startServer } from '../support/processes.js';
import { send } from '../support/service.js';
import { columnsOf, contentsOf } from '../support/table-contents.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const run = promisify(execFile);
const SITE = 'https://upgraded.example';
const PAGES = {
  '/guide/descaling-a-kettle':
    'Fill the kettle with water and citric acid, boil it, wait for an hour and rinse it twice.',
  '/guide/sharpening-knives':
    'Draw the blade over the whetstone at an angle of fifteen degrees until a burr can be felt.',
  '/shop/copper-pan': 'A pan of copper lined with tin, for sauces; it answers to the flame at once.',
};
/** The tables that migrations and each start write themselves. */
const NOT_COMPARED = ['pathmend.migrations', 'pathmend.repeatables', 'pathmend.model_names', 'pathmend.models'];
const ROLE = `next_release_${process.pid}`;
/** Acknowledged changes of pages in each part of the upgrade. */
const CHANGES = 60;

/** Statements that build views of an analyst upon a view that a migration makes anew. */
const BUILT = `create schema marts; create view marts.waiting as select project, waiting from analytics.index_health;
  create materialized view marts.sizes as select project, pages from analytics.index_health`;

describe('an upgrade to a made-up next release', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  let next: NextRelease;
  let database: TestDatabase;

  before(async () => {
    const empty = await createEmptyDatabase();
    next = await makeNextRelease(join(folder, 'next'), ROLE, await empty.connect());
    await empty.drop();
  });

  beforeEach(async () => {
    database = await createTestDatabase({ migrated: true });
  });

  afterEach(() => database.drop());

  after(async () => {
    const url = process.env['TEST_DATABASE_URL'];
    if (url === undefined) return;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`drop role if exists ${ROLE}`);
    await client.end();
  });

  const environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    ...database.environment,
    LOG_LEVEL: 'error',
    PORT: '0',
    HOST: '127.0.0.1',
  });
  const serveNext = (role: string): Promise<Child> =>
    startChild([next.cli, 'serve', '--role', role, '--json'], environment());
  /** The command that an operator runs. */
  async function migrateToNext(): Promise<{ applied: string[]; repeated: string[] }> {
    const { stdout } = await run(process.execPath, [next.cli, 'migrate', '--json'], { env: environment() });
    return JSON.parse(stdout) as { applied: string[]; repeated: string[] };
  }

  async function withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const { DATABASE_URL, DATA_DIR } = database.environment;
    const embedded = DATABASE_URL === undefined ? await startEmbedded(DATA_DIR ?? '') : undefined;
    const client = new pg.Client({ connectionString: DATABASE_URL ?? embedded?.url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
      await embedded?.stop();
    }
  }

  it('keeps every row, and what an analyst built; the next release answers as this one did', async () => {
    const questions: [path: string, body: object, answer: string][] = [
      ['/v1/suggest', { path: '/guides/descale-kettles' }, '/guide/descaling-a-kettle'],
      ['/v1/suggest', { path: '/old/kettle-chalk' }, '/guide/descaling-a-kettle'],
      ['/v1/semantic-search', { query: 'whetstone for a blade' }, '/guide/sharpening-knives'],
    ];
    const answersOf = (url: string, key: string): Promise<unknown[]> =>
      Promise.all(
        questions.map(async ([path, body]) => {
          const question = { ...body, options: { searchThreshold: 0.1 } };
          const answer = await send(url, 'POST', path, question, { Authorization: `Bearer ${key}` });
          return (answer.body.suggestions as { url: string }[] | undefined)?.[0]?.url ?? answer.text;
        }),
      );
    const server = await startServer(database.environment);
    const key = await unlimitedKey(database.environment);
    for (const [path, content] of Object.entries(PAGES)) {
      const pushed = { url: SITE + path, content };
      await send(server.url, 'POST', '/v1/pages/upsert', pushed, { Authorization: `Bearer ${key}` });
    }
    const [{ name }] = (await cliJson(['project', 'list'], database.environment)) as [{ name: string }];
    const added = ['--project', name, '--from', '/old/kettle-chalk', '--to', '/guide/descaling-a-kettle'];
    await cliJson(['redirects', 'add', ...added], database.environment);
    await until('the rule and the pages are found', async () => {
      const answers = await answersOf(server.url, key);
      return questions.every(([, , answer], at) => answers[at] === answer);
    });
    await until('all are indexed', async () => {
      const { pages } = (await cliJson(['project', 'show', '--project', name], database.environment)) as {
        pages: Record<string, number>;
      };
      return pages['INDEXED'] === Object.keys(PAGES).length;
    });
    await server.end('SIGTERM');

    const [columns, before] = await withClient(async (client) => {
      await client.query(BUILT);
      const all = await columnsOf(client, ['pathmend']);
      for (const table of NOT_COMPARED) Reflect.deleteProperty(all, table);
      return [all, await contentsOf(client, all)] as const;
    });
    expect(before['pathmend.pages']).to.match(/^3 rows/);
    const { applied, repeated } = await migrateToNext();
    expect(applied).to.deep.equal(['0900_next.sql']);
    expect(repeated).to.include.members([
      'views/index_health.sql',
      'view marts.waiting',
      'materialized view marts.sizes',
    ]);
    await withClient(async (client) => {
      expect(await contentsOf(client, columns)).to.deep.equal(before);
      expect(await compareSchema(client, next.db)).to.deep.equal({ missing: [], altered: [], surplus: [] });
      const { rows } = await client.query(
        `select w.waiting, s.pages, h.release, has_table_privilege('${ROLE}', 'analytics.index_health', 'select') as reads
           from marts.waiting w join marts.sizes s using (project) join analytics.index_health h using (project)`,
      );
      expect(rows).to.deep.equal([{ waiting: '0', pages: '3', release: 'next', reads: true }]);
    });
    const upgraded = await serveNext('all');
    expect(await answersOf((upgraded.ready as { url: string }).url, key)).to.deep.equal(
      questions.map(([, , answer]) => answer),
    );
    await upgraded.stop();
  });

  it('loses nothing and refuses nobody, while processes of both releases work on one database (server only)', async function () {
    if (!onServer()) this.skip();
    const old = await Promise.all(['api', 'worker'].map((role) => startServer(database.environment, ['--role', role])));
    const addresses = [old[0]?.url ?? ''];
    const key = await unlimitedKey(database.environment);
    const failed: string[] = [];
    const heard = ({ status, text, path }: Heard): void => {
      // 404 is as good as 200: the page to delete does not exist.
      if (status === undefined || (status >= 400 && status !== 404))
        failed.push(`${path}: ${status ?? 'no answer'}: ${text.slice(0, 200)}`);
    };
    let turn = 0;
    const address = (): string | undefined => addresses[turn++ % addresses.length];
    const clients = startClients(4, key, address, { heard });
    const searching = new AbortController();
    const search = async (path: string, body: (at: number) => object): Promise<void> => {
      for (let at = 0; !searching.signal.aborted; at++)
        heard(await ask((address() ?? '') + path, path, 'POST', key, body(at)));
    };
    const searchers = Promise.all([
      search('/v1/suggest', (at) => ({ path: `/lantern-harbour/${at}` })),
      search('/v1/semantic-search', (at) => ({ query: `which teapot and compass, question ${at}` })),
    ]);
    const acknowledged = (what: string): Promise<void> => {
      const enough = clients.pages.acknowledged + CHANGES;
      return until(`${CHANGES} changes ${what}`, () => Promise.resolve(clients.pages.acknowledged >= enough), 120_000);
    };

    await acknowledged('before the upgrade');
    expect((await migrateToNext()).applied).to.deep.equal(['0900_next.sql']);
    await acknowledged('on the new schema by the old release');
    const young = await Promise.all(['api', 'worker'].map(serveNext));
    addresses.push((young[0]?.ready as { url: string }).url);
    await acknowledged('by both releases');
    addresses.shift();
    await Promise.all(old.map((server) => server.end('SIGTERM')));
    await acknowledged('by the next release');
    searching.abort();
    await Promise.all([clients.stop(), searchers]);
    const pool = new pg.Pool({ connectionString: database.environment['DATABASE_URL'], max: 2 });
    await allIndexed(pool);
    expect([...failed, ...(await faultsOf(pool, clients))]).to.deep.equal([]);
    await pool.end();
    await Promise.all(young.map((child) => child.stop()));
  });
});

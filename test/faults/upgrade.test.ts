import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { startEmbedded } from '#src/platform/database/embedded/start-embedded.js';
import { compareSchema } from '#src/platform/database/schema/catalogue.js';
import { migrate } from '#src/platform/database/schema/migrate.js';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { packageRoot } from '#src/base/package-root.js';
import { describeSchema } from '../../scripts/schema/describe-schema.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createEmptyDatabase } from '../support/empty-database.js';
import { send, startTestService } from '../support/service.js';
import { kept, query } from '../support/sql.js';
import { columnsOf, contentsOf } from '../support/table-contents.js';
import { until } from '../support/until.js';

/** What each release left in a database, written by itself when it was tagged: scripts/schema/release-fixture.sh. */
const FIXTURES = join(packageRoot(), 'test/fixtures/releases');
const files = readdirSync(FIXTURES);

/**
 * What a dump of our schemas leaves to whoever restores it; and its functions come before the tables that they read.
 */
const PREPARE = `
create extension if not exists vector; create extension if not exists fuzzystrmatch;
create extension if not exists btree_gin;
do $$ declare v_role text; begin
  foreach v_role in array array['pathmend_tenant', 'pathmend_service', 'pathmend_analyst', 'pathmend_project_analyst'] loop
    begin
      if to_regrole(v_role) is null then execute format('create role %I nologin', v_role); end if;
      if v_role = 'pathmend_service' then grant pathmend_tenant to pathmend_service; end if;
    exception when duplicate_object or unique_violation or internal_error then null;
    end;
  end loop;
end $$;
set check_function_bodies = off;`;

/** A description goes by the order in which things were made, which a dump does not keep. */
const unordered = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/,$/, ''))
    .sort();

/** The bookkeeping of migrations itself. */
const BOOKKEEPING = ['pathmend.migrations', 'pathmend.repeatables'];

/** The rows of this table are in `pathmend.rules` now. */
const DROPPED = ['pathmend.waiting_redirects'];

describe('a database that a release wrote', function () {
  this.timeout(180_000);
  let database: TestDatabase;
  /** The schema of a database that never was another. */
  let fresh: string[];

  before(async () => {
    const empty = await createEmptyDatabase();
    const client = await empty.connect();
    await migrate(client, sqlFolder());
    fresh = unordered(await describeSchema(client));
    await empty.drop();
  });

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(() => database.drop());

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

  it('is there for this release, and for each before it', () => {
    const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
    expect(files).to.include.members(['1.0.0.sql', `${version}.sql`]);
  });

  for (const file of files) {
    const dump = readFileSync(join(FIXTURES, file), 'utf8');
    const key = /^-- key: (\S+)/m.exec(dump)?.[1] ?? '';

    it(`migrates with every row as it was, to the very schema of a new one, and answers: ${file}`, async () => {
      await withClient(async (client) => {
        await client.query(PREPARE);
        await client.query(`${dump}; reset check_function_bodies`);
        const columns = Object.fromEntries(
          Object.entries(await columnsOf(client, ['pathmend'])).filter(
            ([name]) => ![...BOOKKEEPING, ...DROPPED].includes(name),
          ),
        );
        const before = await contentsOf(client, columns);
        expect(before['pathmend.pages']).to.match(/^3 rows/);
        expect((await migrate(client, sqlFolder())).warnings).to.deep.equal([]);
        expect(await contentsOf(client, columns)).to.deep.equal(before);
        expect(await compareSchema(client, sqlFolder())).to.deep.equal({ missing: [], altered: [], surplus: [] });
        const upgraded = unordered(await describeSchema(client));
        expect(
          upgraded.filter((line) => !fresh.includes(line)),
          'more than a new one has',
        ).to.deep.equal([]);
        expect(
          fresh.filter((line) => !upgraded.includes(line)),
          'less than a new one has',
        ).to.deep.equal([]);
        expect(upgraded).to.deep.equal(fresh);
      });

      // As it starts where nobody names a model. That of 1.0.0 does not come with it: words and paths answer at first.
      const running = await startTestService({ EMBEDDING_MODEL: 'auto' }, { database: kept(database) });
      const { url } = running.service;
      try {
        const post = (path: string, body: unknown) => send(url, 'POST', path, body, { Authorization: `Bearer ${key}` });
        const first = async (path: string, body: unknown): Promise<string | undefined> => {
          const answer = await post(path, body);
          expect(answer.status, answer.text).to.equal(200);
          return ((answer.body.suggestions ?? answer.body.documents) as { url: string }[])[0]?.url;
        };
        expect(await first('/v1/suggest', { path: '/guides/descale-kettles' })).to.equal('/guide/descaling-a-kettle');
        expect(await first('/v1/suggest', { path: '/old/kettle-chalk' })).to.equal('/guide/descaling-a-kettle');
        expect(await first('/v1/semantic-search', { query: 'whetstone for a blade' })).to.equal(
          '/guide/sharpening-knives',
        );
        expect(await first('/v1/retrieve', { query: 'copper pan for sauces', filters: { section: 'shop' } })).to.equal(
          'https://earlier.example/shop/copper-pan',
        );
        const fresh = {
          url: 'https://earlier.example/guide/seasoning-a-wok',
          content: 'Heat the wok with oil until it smokes.',
        };
        expect((await post('/v1/pages/upsert', fresh)).status).to.equal(202);
        await until(
          'what is pushed now is found',
          async () => (await first('/v1/suggest', { path: '/seasoning-wok' })) === '/guide/seasoning-a-wok',
        );
        const modelOf = async (): Promise<string | undefined> =>
          (
            await query<{ name: string }>(
              running.service,
              'select m.name from pathmend.models m join pathmend.projects p using (model_id) limit 1',
            )
          )[0]?.name;
        await until(
          'the vectors are of a model of today',
          async () => (await modelOf()) === 'pathmend-english-v1',
          60_000,
        );
        expect(await first('/v1/semantic-search', { query: 'something to sharpen a knife' })).to.equal(
          '/guide/sharpening-knives',
        );
        // A redirect that waited for this page since before the upgrade.
        await until(
          'it leads there, now that the page is indexed',
          async () => (await first('/v1/suggest', { path: '/old/wok' })) === '/guide/seasoning-a-wok',
        );
      } finally {
        await running.stop();
      }
    });
  }
});

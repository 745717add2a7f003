import { expect } from 'chai';
import type pg from 'pg';
import { onServer } from '../../../../support/database.js';
import { startServer } from '../../../../support/processes.js';
import { startTestService, type TestProject, type TestService } from '../../../../support/service.js';
import { connectTo } from '../../../../support/sql.js';
import { until } from '../../../../support/until.js';

/**
 * The searches that the server is at: each waits for the table that the test has locked. House-keeping may wait for it,
 * too, and is not meant. The server shows the beginning of a statement only.
 */
const SEARCHES = `select count(*)::int as n from pg_stat_activity
  where datname = current_database() and application_name like 'pathmend-%' and wait_event_type = 'Lock'
    and query like '%dense as (%'`;
const ONE_CHECK = 5_000;

describe('a statement that nobody waits for any more (on a server only: the embedded database cannot be interrupted)', function () {
  this.timeout(60_000);
  let test: TestService;
  let project: TestProject;
  /** Holds the table of chunks: searches wait for it. */
  let holder: pg.Client;
  /** Outside a transaction, which sees the sessions that there were when it first looked. */
  let watcher: pg.Client;

  before(async function () {
    if (!onServer()) this.skip();
    test = await startTestService({ SEARCH_CACHE_ENTRIES: '0' });
    project = await test.newProject();
    await project.upsert({ url: 'https://shop.example/help/shipping-times', content: 'Parcels take three days.' });
    await project.indexed();
    [holder, watcher] = await Promise.all([connectTo(test.database), connectTo(test.database)]);
  });

  after(async () => {
    if (!onServer()) return;
    await Promise.all([holder.end(), watcher.end()]);
    await test.stop();
  });

  async function holdChunks(): Promise<void> {
    await holder.query('begin');
    await holder.query('lock table pathmend.chunks in access exclusive mode');
  }

  beforeEach(holdChunks);

  afterEach(() => holder.query('rollback'));

  const running = async (): Promise<number> => (await watcher.query<{ n: number }>(SEARCHES)).rows[0]?.n ?? 0;
  const searching = (n: number): Promise<void> =>
    until(`the server is at ${n} searches`, async () => (await running()) === n, ONE_CHECK);

  function ask(query: string): { answer: Promise<number | undefined>; hangUp: () => void } {
    const gone = new AbortController();
    const answer = fetch(`${test.service.url}/v1/semantic-search`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${project.key}` },
      body: JSON.stringify({ query }),
      signal: gone.signal,
    }).then(
      ({ status }) => status,
      () => undefined,
    );
    return {
      answer,
      hangUp: () => {
        gone.abort();
      },
    };
  }

  it('is cancelled when its caller hangs up, and those of others go on', async () => {
    const [abandoned, other] = [ask('how long do parcels take'), ask('who carries parcels')];
    await searching(2);
    abandoned.hangUp();
    await searching(1);
    await holder.query('rollback');
    expect(await other.answer).to.equal(200);
    expect(await abandoned.answer).to.equal(undefined);
  });

  it('is not begun for a caller who hung up in the queue', async () => {
    const { searches } = test.service.deps.bulkheads;
    const queuedSearches = Array.from({ length: 12 }, (_, i) => ask(`parcels of kind ${i}`));
    await until('some wait', () => searches.stats().waiting > 0);
    for (const { hangUp } of queuedSearches) hangUp();
    await until(
      'nothing is in hand',
      () => searches.stats().running === 0 && searches.stats().waiting === 0,
      ONE_CHECK,
    );
    await searching(0);
  });

  it('is ended by the server when the process that asked is killed', async () => {
    // A start looks whether the tables are as they should be, and would wait for this one.
    await holder.query('rollback');
    const server = await startServer(test.database.environment, ['--role', 'api']);
    await until('it is warm', async () => (await fetch(`${server.url}/readyz`)).status === 200);
    await holdChunks();
    const lost = fetch(`${server.url}/v1/semantic-search`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${project.key}` },
      body: JSON.stringify({ query: 'how long do parcels take' }),
    }).catch(() => undefined);
    await searching(1);
    await server.end('SIGKILL');
    await searching(0);
    await lost;
  });
});

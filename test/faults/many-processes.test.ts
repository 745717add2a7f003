import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import type pg from 'pg';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { startBalancer, type Balancer } from '../../scripts/faults/restarts/balancer.js';
import { unlimitedKey } from '../../scripts/faults/restarts/rounds.js';
import { createTestDatabase, onServer, type TestDatabase } from '../support/database.js';
import { inParallel } from '../support/in-parallel.js';
import { cliJson, runCli, startServer, type ServerProcess } from '../support/processes.js';
import { send, type Answer } from '../support/service.js';
import { connectTo } from '../support/sql.js';
import { until } from '../support/until.js';

const OF_EACH = 4;

describe('four api and four worker processes on one database, behind a round-robin (server only: the embedded database serves one process)', function () {
  this.timeout(300_000);
  let database: TestDatabase;
  let apis: ServerProcess[] = [];
  let workers: ServerProcess[] = [];
  let balancer: Balancer;
  let client: pg.Client;
  let key: string;

  before(async function () {
    if (!onServer()) this.skip();
    database = await createTestDatabase({ migrated: true });
    const start = (role: string): Promise<ServerProcess>[] =>
      Array.from({ length: OF_EACH }, () => startServer(settings(), ['--role', role]));
    [apis, workers] = await Promise.all([Promise.all(start('api')), Promise.all(start('worker'))]);
    balancer = await startBalancer(
      apis.map(({ url }) => ({ url, up: true })),
      true,
    );
    client = await connectTo(database);
    key = await unlimitedKey(database.environment);
  });

  after(async () => {
    if (!onServer()) return;
    await balancer.close();
    await Promise.all([...apis, ...workers].map((process) => process.end('SIGTERM')));
    await client.end();
    await database.drop();
  });

  // Eight processes share the connections that a database server on a laptop allows.
  const settings = (): Record<string, string> => ({ ...database.environment, DATABASE_POOL: '5' });

  const post = (url: string, path: string, body: unknown, as = key): Promise<Answer> =>
    send(url, 'POST', path, body, { Authorization: `Bearer ${as}` });

  const upsert = async (path: string, content: string): Promise<void> => {
    const { status, text } = await post(balancer.url, '/v1/pages/upsert', {
      url: `https://many.example${path}`,
      content,
    });
    expect(status, text).to.equal(202);
  };

  const count = async (statement: string, values: unknown[] = []): Promise<number> =>
    (await client.query<{ n: number }>(`select count(*)::int as n from ${statement}`, values)).rows[0]?.n ?? 0;

  const allIndexed = (): Promise<void> =>
    until(
      'every page is indexed',
      async () => (await count(`pathmend.pages where status <> 'INDEXED'`)) === 0,
      120_000,
    );

  /** Returns for each api process whether it suggests a page for a path. */
  async function suggesting(path: string, page: string): Promise<boolean[]> {
    const answers = await Promise.all(
      apis.map(({ url }) => post(url, '/v1/suggest', { path, options: { searchThreshold: 0.1 } })),
    );
    for (const { status, text } of answers) expect(status, text).to.equal(200);
    return answers.map(({ body }) => (body.suggestions as { url: string }[]).some(({ url }) => url === page));
  }

  it('come up together on an empty database, and make its schema once', async () => {
    const files = readdirSync(`${sqlFolder()}/migrations`).length;
    expect(await count('pathmend.migrations')).to.equal(files);
    const answers = await Promise.all([...apis, ...workers].map(({ url }) => send(url, 'GET', '/readyz')));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(2 * OF_EACH).fill(200));
  });

  it('answer with a page that was pushed, when it is indexed, and not with one that was deleted, whoever is asked', async () => {
    const words = ['accordion', 'lighthouse', 'marmalade', 'telescope', 'umbrella', 'violin'];
    for (const word of words) {
      const dead = `/old/${word}s.html`;
      expect(await suggesting(dead, `/things/${word}`), 'each has this answer in its cache').to.not.include(true);
      await upsert(`/things/${word}`, `Everything about the ${word}, its history and its care.`);
      await until('all find it', async () => (await suggesting(dead, `/things/${word}`)).every(Boolean));
    }
    for (const word of words) {
      const url = `https://many.example/things/${word}`;
      const { status, text } = await send(
        balancer.url,
        'DELETE',
        '/v1/pages/delete',
        { url },
        { Authorization: `Bearer ${key}` },
      );
      expect(status, text).to.be.oneOf([200, 202, 204]);
      expect(await suggesting(`/old/${word}s.html`, `/things/${word}`), word).to.not.include(true);
    }
  });

  it('refuse a key as soon as it is revoked, all of them', async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      const made = (await cliJson(['key', 'create', '--project', 'restarts', '--mode', 'live'], settings())) as {
        key: string;
      };
      const statuses = async (): Promise<number[]> =>
        (await Promise.all(apis.map(({ url }) => post(url, '/v1/suggest', { path: '/x' }, made.key)))).map(
          ({ status }) => status,
        );
      expect(await statuses()).to.deep.equal([200, 200, 200, 200]);
      const { code, stderr } = await runCli(['key', 'revoke', '--key', made.key], settings());
      expect(code, stderr).to.equal(0);
      expect(await statuses()).to.deep.equal([401, 401, 401, 401]);
    }
  });

  it('share the rate of a project', async () => {
    const [rate, burst] = [4, 40];
    const limits = ['--read-rate', String(rate), '--read-burst', String(burst)];
    await cliJson(['project', 'create', '--name', 'limited', '--plan', 'enterprise', ...limits], settings());
    const made = (await cliJson(['key', 'create', '--project', 'limited', '--mode', 'live'], settings())) as {
      key: string;
    };
    const from = performance.now();
    const statuses: number[] = [];
    await inParallel(
      Array.from({ length: 240 }, (_, turn) => turn),
      async () => {
        statuses.push((await post(balancer.url, '/v1/suggest', { path: '/x' }, made.key)).status);
      },
      24,
    );
    const seconds = (performance.now() - from) / 1000;
    const admitted = statuses.filter((status) => status === 200).length;
    expect(new Set(statuses)).to.deep.equal(new Set([200, 429]));
    expect(admitted).to.be.at.most(Math.floor(burst + rate * seconds));
    // Tokens that one process holds for a moment and does not use come back.
    expect(admitted).to.be.at.least(burst / 2);
  });

  it('lose nothing that was acknowledged, and count nothing twice, when a worker and an api are killed', async () => {
    const events: string[] = [];
    const pages: string[] = [];
    const sending = inParallel(
      Array.from({ length: 160 }, (_, turn) => turn),
      async (turn) => {
        const path = `/killed/page-${turn}`;
        await upsert(path, `Page ${turn}, which was pushed while processes were killed.`).then(
          () => pages.push(path),
          () => undefined,
        );
        const raw_path = `/gone/${turn}`;
        if ((await post(balancer.url, '/v1/events', { raw_path })).status === 204) events.push(raw_path);
      },
      8,
    );
    await until('some are through', () => pages.length > 30);
    await workers.shift()?.end('SIGKILL');
    await until('more are through', () => pages.length > 60);
    await apis.shift()?.end('SIGKILL');
    await sending;
    expect(pages.length).to.be.above(100);
    await allIndexed();
    expect(
      await count(
        `pathmend.pages p where url = any ($1)
            and exists (select from pathmend.chunks v where v.project_id = p.project_id and v.page_id = p.page_id)`,
        [pages.map((path) => `https://many.example${path}`)],
      ),
    ).to.equal(pages.length);
    const stored = async (): Promise<number> =>
      count('(select distinct raw_path from pathmend.not_founds where raw_path = any ($1)) as e', [events]);
    await until('every acknowledged event is stored', async () => (await stored()) === events.length, 60_000);
    expect(await count(`pathmend.not_founds where raw_path like '/gone/%'`), 'each once').to.equal(
      await count(`(select distinct raw_path from pathmend.not_founds where raw_path like '/gone/%') as e`),
    );
  });
});

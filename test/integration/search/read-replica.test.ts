import { expect } from 'chai';
import { examine } from '#src/operations/doctor/examine.js';
import { startService, type Service } from '#src/app/service.js';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { parseConfig } from '#src/platform/settings/config.js';
import { createOwnServer, skipsOwnServers, type OwnServer } from '../../support/own-server.js';
import { keptLog } from '../../support/said-aloud.js';
import { newProject, send, type TestProject } from '../../support/service.js';
import { until } from '../../support/until.js';

const USES = ['used', 'behind', 'away', 'failed'] as const;
type Use = (typeof USES)[number];

describe('a replica that answers searches (streaming replication, servers of the test)', function () {
  this.timeout(180_000);
  let primary: OwnServer;
  let replica: OwnServer;
  let service: Service;
  let project: TestProject;
  let pages = 0;
  let questions = 0;
  let settings: Record<string, string>;

  before(async function () {
    if (skipsOwnServers()) this.skip();
    primary = await createOwnServer();
    const admin = await primary.connect();
    await admin.query('create database pages');
    for (const role of ['tenant', 'service', 'analyst']) await admin.query(`create role pathmend_${role}`);
    await admin.end();
    replica = await createOwnServer({ follows: primary });
    const at = ({ url }: OwnServer): string => url.replace(/postgres$/, 'pages');
    settings = { DATABASE_URL: at(primary), DATABASE_READ_URL: at(replica), PORT: '0', FAILED_KEYS_PER_MINUTE: '0' };
    const logger = createLogger('warn', keptLog('nothing'));
    service = await startService({ config: parseConfig(settings), role: 'all', logger });
    project = await newProject(service);
    await add();
  });

  after(async () => {
    if (skipsOwnServers()) return;
    await service.stop();
    await replica.remove();
    await primary.remove();
  });

  /** Indexes a page whose content nothing else has. */
  async function add(): Promise<string> {
    pages += 1;
    const url = `https://replica.example/topic-${pages}`;
    await project.upsert({ url, content: `Chapter ${pages} of the manual on replicas and their primaries.` });
    await project.indexed();
    return `/topic-${pages}`;
  }

  /** The urls that a search finds, asked in words that no cache knows. */
  async function findUrls(): Promise<string[]> {
    questions += 1;
    const query = `manual on replicas, question ${questions}`;
    const { status, body, text } = await project.post('/v1/semantic-search', {
      query,
      limit: 100,
      options: { searchThreshold: 0 },
    });
    expect(status, text).to.equal(200);
    return (body.suggestions as { url: string }[]).map(({ url }) => url);
  }

  async function uses(): Promise<Record<Use, number>> {
    const { text } = await send(service.url, 'GET', '/metrics');
    const count = (use: Use): number =>
      Number(new RegExp(`^pathmend_replica_searches_total\\{use="${use}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    return Object.fromEntries(USES.map((use) => [use, count(use)])) as Record<Use, number>;
  }

  /** Counts the searches during `work`, by how they used the replica. */
  async function useIn(work: () => Promise<unknown>): Promise<Record<Use, number>> {
    const before = await uses();
    await work();
    const after = await uses();
    return Object.fromEntries(USES.map((use) => [use, after[use] - before[use]])) as Record<Use, number>;
  }

  const isUsed = (): Promise<void> => until('the replica answers', async () => (await useIn(findUrls)).used > 0);

  /** Returns how many rows there are. */
  async function onReplica(statement: string): Promise<number> {
    const client = await replica.connect();
    return (await client.query(statement).finally(() => client.end())).rowCount ?? 0;
  }

  async function doctor(): Promise<string> {
    const findings = (await examine({ environment: settings })).filter(({ check }) => check.startsWith('repl'));
    return findings.map(({ check, level, message }) => `${check} ${level} ${message}`).join('; ');
  }

  it('is asked, by suggest, questions and retrieve, and the primary is not', async () => {
    await isUsed();
    expect(await doctor()).to.match(/replica ok it follows/);
    const used = await useIn(async () => {
      expect(await findUrls()).to.include('/topic-1');
      expect((await project.post('/v1/suggest', { path: '/topics-1' })).status).to.equal(200);
      const { body } = await project.post('/v1/retrieve', { query: 'manual on replicas' });
      expect(body.documents[0].content).to.match(/^Chapter/);
    });
    expect(used).to.deep.equal({ used: 3, behind: 0, away: 0, failed: 0 });
    const onIt = await onReplica(`select from pg_stat_activity
      where application_name = 'pathmend-searches' and query like '%from pathmend.pages%'`);
    expect(onIt).to.be.at.least(1);
  });

  it('reads its own writes while its replay is paused, and again when it has caught up', async () => {
    await onReplica('select pg_wal_replay_pause()');
    const other = await newProject(service);
    expect(
      (await useIn(() => other.post('/v1/suggest', { path: '/nothing-here' }))).used,
      'a project that did not change',
    ).to.equal(1);
    for (let i = 0; i < 10; i += 1) {
      const path = await add();
      expect(await findUrls(), path).to.include(path);
      await project.call('DELETE', '/v1/pages/delete', { url: `https://replica.example${path}` });
      expect(await findUrls(), `${path}, deleted`).to.not.include(path);
    }
    const behind = await useIn(findUrls);
    expect(behind).to.deep.equal({ used: 0, behind: 1, away: 0, failed: 0 });
    expect(await doctor()).to.match(
      /replication ok walreceiver is streaming, .*; replica problem its replay is paused, /,
    );
    await until('metrics say how far it is behind', async () => {
      const { text } = await send(service.url, 'GET', '/metrics');
      return Number(/^pathmend_replica_lag_bytes (\S+)$/m.exec(text)?.[1]) > 1_000;
    });
    await onReplica('select pg_wal_replay_resume()');
    await isUsed();
  });

  it('reads its own writes while changes stream in', async () => {
    const used = await useIn(async () => {
      for (let i = 0; i < 20; i += 1) {
        const path = await add();
        expect(await findUrls(), path).to.include(path);
      }
    });
    expect(used.used + used.behind).to.equal(20);
    expect(used.used, 'it keeps up').to.be.above(0);
  });

  it('is not missed while it is stopped, nor killed in the middle of searches, and used again when it is back', async () => {
    let wrong = 0;
    let isOver = false;
    const crowd = Array.from({ length: 4 }, async () => {
      while (!isOver) if (!(await findUrls()).includes('/topic-1')) wrong += 1;
    });
    await until('the crowd searches', async () => (await uses()).used > 10);
    await replica.kill();
    await until('the primary answers', async () => (await uses()).away > 10);
    await replica.start();
    await isUsed();
    await replica.signal('SIGSTOP');
    // While the replica was behind, no search used it.
    await until('a search meets the replica that hangs', async () => {
      const from = performance.now();
      const { away, failed } = await useIn(findUrls);
      // The service gives up the replica after three seconds, and the search itself after eight.
      expect(performance.now() - from, 'a replica that hangs').to.be.below(7_000);
      return away + failed > 0;
    });
    await replica.signal('SIGCONT');
    await isUsed();
    await replica.stop();
    await until('the primary answers', async () => (await useIn(findUrls)).away > 0);
    isOver = true;
    await Promise.all(crowd);
    expect(wrong).to.equal(0);
    expect((await send(service.url, 'GET', '/readyz')).status).to.equal(200);
    expect(await doctor()).to.match(/replica warning The primary answers searches, too: .*ECONNREFUSED/);
    await replica.start();
    await isUsed();
  });

  it('reads its own writes when it was promoted by mistake', async () => {
    await onReplica('select pg_promote()');
    const path = await add();
    expect(await findUrls(), 'a change that it will never have').to.include(path);
    expect(await doctor()).to.match(/replica problem DATABASE_READ_URL leads to a server that follows nobody/);
  });
});

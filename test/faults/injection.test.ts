import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import type pg from 'pg';
import { ALL_OPERATIONS } from '#src/app/openapi.js';
import { PAYLOADS } from '../../scripts/faults/injection/payloads.js';
import { placesOf } from '../../scripts/faults/injection/places.js';
import { standingOf } from '../../scripts/faults/injection/standing.js';
import { inParallel } from '../support/in-parallel.js';
import { startTestService, type Answer, type TestProject, type TestService } from '../support/service.js';
import { connectTo, query } from '../support/sql.js';
import { until } from '../support/until.js';

/** Headers that anything reads, or might. */
const HEADERS =
  `Authorization X-Request-Id User-Agent Content-Type Content-Encoding X-Forwarded-For Referer Cookie`.split(/\s+/);

describe('payloads of SQL injection', function () {
  this.timeout(600_000);
  let test: TestService;
  let attacker: TestProject;
  let bystander: TestProject;
  let beside: pg.Client;
  let watcher: pg.Client;
  let log = '';
  let sleeping = 0;
  let watch: NodeJS.Timeout;

  before(async () => {
    const stream = new PassThrough().on('data', (chunk: Buffer) => (log += chunk.toString()));
    // On a server, also through indexes of the project's own, whose functions execute text.
    test = await startTestService(
      { LOG_LEVEL: 'debug', SEARCH_CACHE_ENTRIES: '0', OWN_INDEX_PASSAGES: '50' },
      { log: stream },
    );
    [attacker, bystander] = [await test.newProject(), await test.newProject()];
    for (const project of [attacker, bystander]) {
      for (let i = 0; i < 60; i++) {
        await project.upsert({
          url: `https://attack.example/help/returns-${i}`,
          content: `Returns number ${i} are taken back.`,
          metadata: { category: 'help' },
        });
      }
      await project.indexed();
    }
    beside = await connectTo(test.database);
    watcher = await connectTo(test.database);
    if (test.database.kind === 'server') {
      await until(
        'both have indexes of their own',
        async () => (await query(test.service, 'select from pathmend.index_segments')).length === 2,
      );
      await test.service.deps.ownIndexes.refresh();
      // Whoever sleeps is seen here, besides keeping a request waiting for longer than this test may take.
      watch = setInterval(() => {
        void watcher.query("select from pg_stat_activity where wait_event = 'PgSleep'").then(
          ({ rowCount }) => (sleeping += rowCount ?? 0),
          () => undefined,
        );
      }, 100);
    }
  });

  after(async () => {
    clearInterval(watch);
    await watcher.end();
    await beside.end();
    await test.stop();
  });

  /** Sends requests, and compares what must not have changed. */
  async function sendAll(requests: (() => Promise<Answer>)[]): Promise<Map<number, number>> {
    const before = await standingOf(beside, attacker.row.project_id);
    const statuses = new Map<number, number>();
    log = '';
    await inParallel(requests, async (send) => {
      const { status, text } = await send();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(status, text).to.be.below(500);
      expect(text).not.to.match(/syntax error at|SQLSTATE|invalid input syntax/);
    });
    await attacker.indexed();
    await test.service.deps.log.flush();
    await until(
      'events are stored',
      async () =>
        (
          await query(
            test.service,
            "select from pgboss.job where state in ('created', 'active', 'retry') and name in ('record-event', 'record-events', 'vectorize-page', 'vectorize-long-page')",
          )
        ).length === 0,
    );
    expect(
      await query(test.service, "select name, output from pgboss.job where state = 'failed' or retry_count > 0"),
    ).to.deep.equal([]);
    expect(log).not.to.match(/"level":"error"|"code":"(?:22|42)/);
    expect(log).to.contain('"route":"/v1/');
    for (const [what, is] of await standingOf(beside, attacker.row.project_id))
      expect(is, what).to.equal(before.get(what));
    expect(sleeping).to.equal(0);
    return statuses;
  }

  for (const path of `/v1/suggest /v1/semantic-search /v1/retrieve /v1/pages/upsert /v1/pages/delete
    /v1/pages/batch /v1/events /v1/search /v1/proxy`.split(/\s+/)) {
    it(`in every text of ${path} are text: what others have, and what has a name, stays as it was`, async () => {
      const operation = ALL_OPERATIONS.find((candidate) => candidate.path === path);
      if (!operation) throw new Error('no such operation');
      const places = placesOf(operation);
      expect(places.length).to.be.at.least(1);
      const statuses = await sendAll(
        places.flatMap(({ put }) =>
          PAYLOADS.map((payload) => () => {
            const input = put(payload);
            if (operation.method !== 'GET') return attacker.call(operation.method, path, input);
            const parameters = Object.entries(input).map(
              ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
            );
            return attacker.call('GET', `${path}?${parameters.join('&')}&${encodeURIComponent(PAYLOADS[0] ?? '')}=1`);
          }),
        ),
      );
      // Most get past the checks, to where SQL is.
      const answered = [...statuses].reduce(
        (sum, [status, n]) => sum + ([200, 202, 204, 302, 404].includes(status) ? n : 0),
        0,
      );
      expect(answered, JSON.stringify([...statuses])).to.be.above(PAYLOADS.length * 0.8);
    });
  }

  it('in every header are refused or ignored', async () => {
    const sendable = PAYLOADS.map((payload) => payload.replace(/[^ -~]/g, '?'));
    await sendAll(
      HEADERS.flatMap((name) =>
        sendable.map(
          (payload) => () =>
            attacker.call(
              'POST',
              '/v1/suggest',
              { path: '/returns' },
              { [name]: name === 'Authorization' ? `Bearer ${payload}` : payload },
            ),
        ),
      ),
    );
  });

  it('are found again as they were pushed, by exactly themselves as a filter', async () => {
    for (const [i, payload] of PAYLOADS.entries()) {
      await attacker.upsert({
        url: `https://attack.example/stored/${i}`,
        title: payload,
        content: payload,
        metadata: Object.fromEntries([[payload, [payload]]]),
      });
    }
    await attacker.indexed();
    for (const [i, payload] of PAYLOADS.entries()) {
      const { body } = await attacker.post('/v1/retrieve', {
        query: 'anything',
        top_k: 100,
        filters: Object.fromEntries([[payload, payload]]),
      });
      const storedDocuments = (body.documents as { url: string; title: string; content: string }[]).filter(({ url }) =>
        url.includes('/stored/'),
      );
      expect(
        storedDocuments.map(({ url, title, content }) => [url, title, content]),
        payload,
      ).to.deep.equal([[`https://attack.example/stored/${i}`, payload, payload]]);
    }
  });
});

import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { cliJson, startServer, type ServerProcess } from '../support/processes.js';
import { send, startTestService } from '../support/service.js';
import { until } from '../support/until.js';

const ROUNDS = 3;
const WRITERS = 4;
/** Acknowledged upserts of a round before the kill. */
const ACKNOWLEDGED = 12;

describe('kill -9 of a serving process during upserts and events', function () {
  this.timeout(300_000);
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase({ migrated: true });
  });

  after(() => database.drop());

  it('loses nothing that was acknowledged, and every page ends INDEXED', async () => {
    const { environment } = database;
    await cliJson(
      `project create --name killed --plan enterprise --read-rate 10000 --read-burst 10000 --write-rate 10000
        --write-burst 10000`.split(/\s+/),
      environment,
    );
    const { key } = (await cliJson(['key', 'create', '--project', 'killed', '--mode', 'live'], environment)) as {
      key: string;
    };
    /** By url: what was acknowledged last, and what was sent last (it may have arrived or not). */
    const acknowledged = new Map<string, string>();
    const sent = new Map<string, string>();
    const events: string[] = [];

    for (let round = 0; round < ROUNDS; round++) {
      const server = await startServer(environment);
      let upserts = 0;
      const writers = Array.from({ length: WRITERS }, (_, writer) =>
        write(server, writer, round, () => {
          upserts += 1;
        }),
      );
      await until(`${ACKNOWLEDGED} upserts are acknowledged`, () => upserts >= ACKNOWLEDGED, 60_000);
      await server.end('SIGKILL');
      await Promise.all(writers);
    }

    // A writer sends one thing after the other until the server is gone.
    async function write(server: ServerProcess, writer: number, round: number, told: () => void): Promise<void> {
      const post = (path: string, body: unknown) =>
        send(server.url, 'POST', path, body, { Authorization: `Bearer ${key}` });
      try {
        for (let at = 0; ; at++) {
          // Half of them pages of the rounds before, with new content.
          const url = `https://site.example/${at % 2 === 0 ? 'old' : `round-${round}`}/${writer}-${at % 8}`;
          const content = `Page ${at} of writer ${writer} in round ${round}: kettles, cups and coffee.`;
          sent.set(url, content);
          if ((await post('/v1/pages/upsert', { url, content })).status === 202) {
            acknowledged.set(url, content);
            told();
          }
          const path = `/gone/${round}/${writer}/${at}`;
          if ((await post('/v1/events', { raw_path: path })).status === 204) events.push(path);
        }
      } catch {
        // The connection broke: the server was killed.
      }
    }

    const { service } = await startTestService({}, { database });
    try {
      const { db } = service;
      await until(
        'every page is indexed',
        async () => {
          const { rows } = await sql<{ n: number }>`
          select count(*)::int as n from pathmend.pages where status <> 'INDEXED'`.execute(db);
          return rows[0]?.n === 0;
        },
        120_000,
      );
      const { rows: pages } = await sql<{ url: string; content: string; current: boolean }>`
        select p.url, p.content, coalesce(x.content_version = p.content_version, false)
               and exists (select from pathmend.passages v where v.page_id = p.page_id) as current
          from pathmend.pages p left join pathmend.indexed_pages x using (project_id, page_id)`.execute(db);
      const stored = new Map(pages.map((page) => [page.url, page]));
      expect(acknowledged.size).to.be.at.least(ACKNOWLEDGED);
      for (const [url, content] of acknowledged) {
        expect(stored.get(url)?.content, url).to.be.oneOf([content, sent.get(url)]);
      }
      for (const page of pages) expect(page.current, `${page.url} is in the index as it is stored`).to.be.true;

      const arrived = async (): Promise<string[]> =>
        (await sql<{ raw_path: string }>`select raw_path from pathmend.not_founds`.execute(db)).rows.map(
          (row) => row.raw_path,
        );
      await until(
        'every acknowledged event is stored',
        async () => {
          const there = new Set(await arrived());
          return events.every((path) => there.has(path));
        },
        120_000,
      );
      const all = await arrived();
      expect(new Set(all).size, 'each event once').to.equal(all.length);
    } finally {
      await service.stop();
    }
  });
});

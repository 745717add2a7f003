import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { PassThrough } from 'node:stream';
import { beforeContent, Gate } from '../support/gated-embedder.js';
import { createTestDatabase, onServer, type TestDatabase } from '../support/database.js';
import { startTestService, type TestProject, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const PAGES = 40;

describe('stopping and sharing work', function () {
  this.timeout(180_000);
  let database: TestDatabase;
  const log = new PassThrough().resume();

  beforeEach(async () => {
    database = await createTestDatabase({ migrated: true });
  });

  afterEach(() => database.drop());

  async function pushAll(project: TestProject): Promise<void> {
    for (let at = 0; at < PAGES; at++) {
      await project.upsert({ url: `https://site.example/page-${at}`, content: `Page ${at} has a content of its own.` });
    }
  }

  async function expectAllIndexed(service: TestService, projectId: string): Promise<void> {
    const { db } = service.service;
    await until(
      'every page is indexed',
      async () => {
        const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from pathmend.pages where project_id = ${projectId} and status = 'INDEXED'`.execute(
          db,
        );
        return rows[0]?.n === PAGES;
      },
      120_000,
    );
    const { rows } = await sql`
      select p.url from pathmend.pages p
       where p.project_id = ${projectId}
         and not exists (select from pathmend.chunks v where v.project_id = p.project_id and v.page_id = p.page_id)`.execute(
      db,
    );
    expect(rows, 'pages without vectors').to.be.empty;
  }

  for (const [what, isEnding] of [
    ['that is stopped in the middle of a batch finishes it, and the next does the rest', true],
    ['whose batch does not end stops within ten seconds all the same, and the next does the work', false],
  ] as const)
    it(`a service ${what}`, async () => {
      const gate = new Gate();
      gate.close();
      const first = await startTestService({}, { database, log, wrapEmbedder: beforeContent(() => gate.pass()) });
      const project = await first.newProject();
      await pushAll(project);
      await until('a batch is in work', () => gate.arrived > 0);
      const before = performance.now();
      const stopped = first.service.stop();
      if (isEnding) gate.open();
      await stopped;
      expect(performance.now() - before).to.be.below(10_000);
      const next = await startTestService({}, { database });
      await expectAllIndexed(next, project.row.project_id);
      await next.service.stop();
      gate.open();
    });

  it('two workers at once index each page once (server only: the embedded database serves one process)', async function () {
    if (!onServer()) this.skip();
    const embedded: string[] = [];
    const gates = [new Gate(), new Gate()];
    const workers = await Promise.all(
      gates.map((gate) =>
        startTestService(
          {},
          {
            database,
            role: 'worker',
            wrapEmbedder: beforeContent(async (content) => {
              // The words of the path's last segment are embedded too, beside the content.
              if (content.startsWith('Page ')) embedded.push(content);
              await gate.pass();
            }),
          },
        ),
      ),
    );
    const api = await startTestService({}, { database, role: 'api' });
    const project = await api.newProject();
    for (const gate of gates) gate.close();
    await pushAll(project);
    // Both have a batch in hand before either goes on.
    await until('both work', () => gates.every((gate) => gate.arrived > 0));
    for (const gate of gates) gate.open();
    await expectAllIndexed(api, project.row.project_id);
    expect(embedded.sort()).to.deep.equal(
      Array.from({ length: PAGES }, (_, at) => `Page ${at} has a content of its own.`).sort(),
    );
    for (const { service } of [api, ...workers]) await service.stop();
  });
});

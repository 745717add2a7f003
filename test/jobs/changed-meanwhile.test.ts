import { expect } from 'chai';
import { sql } from 'kysely';
import { vectorizePage } from '#src/jobs/kinds.js';
import { startTestService, type TestProject, type TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { beforeContent, Gate } from '../support/gated-embedder.js';

const URL = 'https://garden.example/guide';
const TULIPS = 'Plant tulip bulbs in autumn, three times as deep as they are tall.';
const ROSES = 'Prune roses in March, above a bud that points outwards.';

describe('a page that changes while it is being indexed', function () {
  this.timeout(120_000);
  let service: TestService;
  let project: TestProject;
  const gate = new Gate();
  const embedded: string[] = [];

  before(async () => {
    service = await startTestService({}, {
      wrapEmbedder: beforeContent(async (content) => {
        embedded.push(content);
        await gate.pass();
      }),
    });
  });

  after(async () => {
    gate.open();
    await service.stop();
  });

  beforeEach(async () => {
    gate.open();
    project = await service.newProject();
    embedded.length = 0;
  });

  afterEach(() => { gate.open(); });

  /** Pushes content and resolves when the worker is about to embed it and waits at the gate. */
  async function hold(content: string): Promise<string> {
    gate.close();
    const { arrived } = gate;
    const { body } = await project.upsert({ url: URL, content });
    await until('the worker has the page', () => gate.arrived > arrived);
    return body.page_id as string;
  }

  async function status(): Promise<string> {
    const { rows } = await sql<{ status: string }>`
      select status from pathmend.pages where project_id = ${project.row.project_id}`.execute(service.service.deps.db);
    return rows.map((row) => row.status).join();
  }

  async function search(query: string): Promise<string[]> {
    const { body } = await project.post('/v1/retrieve', { query });
    return (body.documents as { content: string }[]).map((document) => document.content);
  }

  it('is PENDING_VECTORIZATION when pushed, PROCESSING when a worker has it, INDEXED in the end', async () => {
    await hold(TULIPS);
    expect(await status()).to.equal('PROCESSING');
    gate.open();
    await project.indexed();
    expect(await status()).to.equal('INDEXED');
  });

  it('goes back to PENDING_VECTORIZATION, and only its last content is indexed: what lay between is not even embedded', async () => {
    await hold(TULIPS);
    for (const draft of ['first', 'second', 'third']) {
      const { body } = await project.upsert({ url: URL, content: `A ${draft} draft on roses.` });
      expect(body).to.include({ action: 'updated_content', status: 'PENDING_VECTORIZATION' });
    }
    await project.upsert({ url: URL, content: ROSES });
    expect(await status()).to.equal('PENDING_VECTORIZATION');
    gate.open();
    await project.indexed();
    expect(embedded).to.deep.equal([TULIPS, ROSES]);
    expect(await search('roses')).to.deep.equal([ROSES]);
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from pgboss.job
       where data ->> 'projectId' = ${project.row.project_id} and state < 'completed'`.execute(service.service.deps.db);
    expect(rows).to.deep.equal([{ n: 0 }]);
  });

  it('stays findable by its old vectors until the new ones replace them', async () => {
    await project.upsert({ url: URL, content: TULIPS });
    await project.indexed();
    const find = async (): Promise<number> => {
      // Another query each time: the cache has no part in this.
      const { body } = await project.post('/v1/semantic-search', { query: `tulip bulbs in autumn ${Math.random()}`, options: { searchThreshold: 0 } });
      expect(body.suggestions).to.have.length(1);
      return body.suggestions[0].score as number;
    };
    const before = await find();
    await hold(ROSES);
    expect(await find()).to.be.closeTo(before, 0.2);
    gate.open();
    await project.indexed();
    expect(await find()).to.be.below(before);
  });

  it('is not brought back when it is deleted meanwhile', async () => {
    const pageId = await hold(TULIPS);
    expect((await project.call('DELETE', '/v1/pages/delete', { pageId })).status).to.equal(200);
    gate.open();
    await until('its job is done', async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from pgboss.job where singleton_key = ${pageId} and state < 'completed'`.execute(service.service.deps.db);
      return rows[0]?.n === 0;
    });
    for (const table of ['pages', 'indexed_pages', 'passages', 'vocabulary']) {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from ${sql.table(`pathmend.${table}`)} where project_id = ${project.row.project_id}`.execute(service.service.deps.db);
      expect(rows, table).to.deep.equal([{ n: 0 }]);
    }
  });

  it('and is indexed by the time a second job of its comes up makes that job stale: it is dropped, not run', async () => {
    const pageId = await hold(TULIPS);
    gate.open();
    await project.indexed();
    const { deps } = service.service;
    embedded.length = 0;
    await deps.queue.enqueueNow(vectorizePage, [{ projectId: project.row.project_id, pageId }]);
    deps.queue.wake(vectorizePage);
    await until('the job is done', async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from pgboss.job where singleton_key = ${pageId} and state = 'completed'`.execute(deps.db);
      return rows[0]?.n === 2;
    });
    expect(embedded).to.deep.equal([]);
    expect(await status()).to.equal('INDEXED');
  });
});

import { rm } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { beforeContent, Gate } from '../support/gated-embedder.js';
import { send, startTestService, type TestProject, type TestService } from '../support/service.js';
import { buildTinyModel, type TinyModel } from '../support/tiny-model.js';
import { until } from '../support/until.js';

const PAGES = ['kettle', 'teapot', 'grinder', 'filter', 'saucer'].map((word) => ({
  url: `https://tea.example/${word}`,
  content: `Everything about the ${word}: how to choose it, use it and clean it.`,
}));
const HELD = PAGES[2]?.content ?? '';

describe('changing EMBEDDING_MODEL on a database with an index', function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let tiny: TinyModel;
  let project: TestProject;
  let running: TestService | undefined;

  beforeEach(async () => {
    database = await createTestDatabase({ migrated: true });
    tiny = await buildTinyModel({ words: ['kettle', 'teapot', 'grinder', 'filter', 'saucer'] });
  });

  afterEach(async () => {
    await running?.service.stop();
    running = undefined;
    await database.drop();
    await rm(tiny.folder, { recursive: true, force: true });
  });

  /** Starts a service with this model on the database of the last one, which is stopped. */
  async function restart(model: string, options: Parameters<typeof startTestService>[1] = {}): Promise<TestService> {
    await running?.service.stop();
    running = undefined;
    return (running = await startTestService({ EMBEDDING_MODEL: model }, { database, ...options }));
  }

  const db = () => {
    if (!running) throw new Error('no service runs');
    return running.service.db;
  };

  async function call(path: string, body: unknown): Promise<{ url: string; score: number }[]> {
    const answer = await send(running?.service.url ?? '', 'POST', path, body, {
      Authorization: `Bearer ${project.key}`,
    });
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.suggestions as { url: string; score: number }[];
  }

  /** A search that no cache answers. */
  const search = (query: string): Promise<{ url: string; score: number }[]> =>
    call('/v1/semantic-search', {
      query,
      limit: 20,
      options: { searchThreshold: 0, excludeUrls: [`/${Math.random()}`] },
    });

  async function modelId(): Promise<number | null> {
    const { rows } = await sql<{ model_id: number | null }>`
      select model_id from pathmend.projects where project_id = ${project.row.project_id}`.execute(db());
    return rows[0]?.model_id ?? null;
  }

  /** Passages of the project by model. */
  async function passages(): Promise<Record<string, number>> {
    const { rows } = await sql<{ model_id: number; n: number }>`
      select model_id, count(distinct page_id)::int as n from pathmend.chunks
       where project_id = ${project.row.project_id} group by 1`.execute(db());
    return Object.fromEntries(rows.map((row) => [row.model_id, row.n]));
  }

  function switched(from: number | null): Promise<void> {
    return until('the project answers with the new model', async () => (await modelId()) !== from, 90_000);
  }

  async function indexWith(model: string): Promise<number | null> {
    project = await (await restart(model)).newProject();
    for (const page of PAGES) {
      await project.upsert(page);
    }
    await project.indexed();
    return modelId();
  }

  it('answers from the old vectors while it embeds anew, then from the new ones; no search in between is empty', async () => {
    const old = await indexWith('static');
    const before = await search('the teapot');
    expect(before.map(({ url }) => url)).to.have.members(PAGES.map(({ url }) => new URL(url).pathname));

    const gate = new Gate();
    gate.close();
    let bundled = '';
    const service = await restart(tiny.folder, {
      wrapEmbedder: beforeContent(async (content, fingerprint) => {
        if (content === HELD && fingerprint !== bundled) await gate.pass();
      }),
    });
    bundled = (await service.service.models.named('static')).model.fingerprint;
    await until('pages are embedded anew', () => gate.arrived > 0, 60_000);
    expect(await modelId()).to.equal(old);
    expect(await search('the teapot'), 'while pages are embedded anew').to.deep.equal(before);

    // A page pushed in between is found at once, and its change later.
    const late = { url: 'https://tea.example/spoon', content: 'Everything about the spoon.' };
    const post = (content: string) =>
      send(
        service.service.url,
        'POST',
        '/v1/pages/upsert',
        { ...late, content },
        { Authorization: `Bearer ${project.key}` },
      );
    expect((await post(late.content)).status).to.equal(202);
    await until('the late page is found', async () => (await search('the spoon')).some(({ url }) => url === '/spoon'));
    expect(await modelId()).to.equal(old);

    gate.open();
    const empty: number[] = [];
    await until(
      'the project answers with the new model',
      async () => {
        empty.push((await search('the teapot')).length);
        return (await modelId()) !== old;
      },
      90_000,
    );
    expect(Math.min(...empty), 'fewest results meanwhile').to.equal(PAGES.length + 1);

    const now = (await service.service.models.named(tiny.folder)).modelId;
    expect(await modelId()).to.equal(now);
    expect(await passages()).to.deep.equal({ [now]: PAGES.length + 1 });
    const after = await search('the teapot');
    expect(after.map(({ url }) => url)).to.have.members([...before.map(({ url }) => url), '/spoon']);
    expect(after.map(({ score }) => score)).not.to.deep.equal(before.map(({ score }) => score));
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from pathmend.pages
       where project_id = ${project.row.project_id} and status = 'INDEXED'`.execute(db());
    expect(rows).to.deep.equal([{ n: PAGES.length + 1 }]);
  });

  it('answers in full a search that was on its way when the models changed places', async () => {
    const old = await indexWith('static');
    const page = new Gate();
    const query = new Gate();
    page.close();
    query.close();
    await restart(tiny.folder, {
      wrapEmbedder: (real) => ({
        ...beforeContent((content) => (content === HELD ? page.pass() : undefined))(real),
        embedQuery: async (fingerprint, text) => {
          if (text.startsWith('slow')) await query.pass();
          return real.embedQuery(fingerprint, text);
        },
      }),
    });
    await until('pages are embedded anew', () => page.arrived > 0, 60_000);
    const slow = ['/v1/semantic-search', '/v1/retrieve'].map((path) =>
      send(
        running?.service.url ?? '',
        'POST',
        path,
        { query: 'slow teapot', limit: 20, top_k: 20, options: { searchThreshold: 0 } },
        { Authorization: `Bearer ${project.key}` },
      ),
    );
    await until('both are on their way', () => query.arrived === 2);
    page.open();
    await switched(old);
    query.open();
    const [searched, retrieved] = await Promise.all(slow);
    expect(searched?.body.suggestions).to.have.length(PAGES.length);
    expect(retrieved?.body.documents).to.have.length(PAGES.length);
  });

  it('reads the words of pages anew, as a release with another model may read them otherwise', async () => {
    const old = await indexWith('static');
    const terms = async (): Promise<unknown[]> =>
      (
        await sql<object>`
          select page_id, terms::text from pathmend.page_terms
           where project_id = ${project.row.project_id} order by page_id`.execute(db())
      ).rows;
    const before = await terms();
    expect(before).to.have.length(PAGES.length);
    await sql`update pathmend.page_terms set terms = '{7:1}/1000000000'
               where project_id = ${project.row.project_id}`.execute(db());
    await restart(tiny.folder);
    await switched(old);
    expect(await terms()).to.deep.equal(before);
  });

  it('comes back to the first model when that is configured again', async () => {
    const first = await indexWith('static');
    await restart(tiny.folder);
    await switched(first);
    const second = await modelId();
    await restart('static');
    await switched(second);
    expect(await modelId()).to.equal(first);
    expect(await search('the teapot')).to.have.length(PAGES.length);
  });

  it('embeds everything anew when the old model is gone from the machine', async () => {
    const old = await indexWith(tiny.folder);
    await rm(tiny.folder, { recursive: true });
    await restart('static', { log: new PassThrough().resume() });
    await search('the teapot');
    await switched(old);
    expect(await search('the teapot')).to.have.length(PAGES.length);
    expect(Object.keys(await passages())).to.have.length(1);
  });
});

import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { indexWords } from '#src/pages/indexing/index-words-job.js';
import { findWordlessPages, readWordlessPages } from '#src/pages/store/wordless-pages.js';
import { updateProject } from '#src/projects/store/projects.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';
import { until } from '../../../support/until.js';
import { EmbeddingGate } from '../../../support/wrap-embedder.js';

const URL = 'https://shop.example/writing/fountain-pens';
const PAGE = { url: URL, title: 'Fountain pens', content: 'held: a pen with a steel nib and a converter for ink.' };

interface Found {
  url: string;
  score: number;
}

describe('a page that the model has not read yet', () => {
  const gate = new EmbeddingGate('held');
  let shop: TestService;
  let project: TestProject;

  before(async function () {
    this.timeout(120_000);
    shop = await startTestService({}, { wrapEmbedder: gate.wrap });
  });

  after(async () => {
    gate.open();
    await shop.stop();
  });

  beforeEach(async () => {
    project = await shop.newProject({ scopes: ['read', 'write', 'rules'] });
    for (const name of ['rulers', 'notebooks', 'inkwells', 'envelopes', 'pencil-cases', 'blotting-paper'])
      await project.upsert({
        url: `https://shop.example/writing/${name}`,
        content: `All about ${name} for your desk.`,
      });
    await project.indexed();
    gate.close();
  });

  afterEach(() => {
    gate.open();
  });

  const searched = async (kind: 'suggest' | 'semantic-search', input: string, threshold = 0.7): Promise<Found[]> =>
    (
      await project.post(`/v1/${kind}`, {
        [kind === 'suggest' ? 'path' : 'query']: input,
        options: { searchThreshold: threshold },
      })
    ).body.suggestions as Found[];

  const mistyped = '/writing/fountian-pens';
  const isFound = async (): Promise<boolean> =>
    (await searched('suggest', mistyped))[0]?.url === '/writing/fountain-pens';
  const proxied = async (path: string): Promise<number> =>
    (await project.call('GET', `/v1/proxy?url=${encodeURIComponent(`https://shop.example${path}`)}`)).status;

  it('is found by its path and its words, as a link and never by a redirect, and as any other page once it is read', async () => {
    await project.upsert(PAGE);
    await until('its words are stored', isFound);
    expect((await searched('suggest', mistyped))[0]?.score).to.be.at.most(0.9);
    expect((await searched('semantic-search', 'converter for ink', 0))[0]?.url).to.equal('/writing/fountain-pens');
    expect(await proxied(mistyped)).to.equal(404);
    await updateProject(shop.service.db, project.row.project_id, { redirect_above: 0.5 });
    expect(await proxied(mistyped), 'whatever the project redirects from').to.equal(404);
    const { body } = await project.call('GET', `/v1/pages?url=${encodeURIComponent(URL)}`);
    expect(body.pages[0]).to.include({ status: 'PROCESSING', indexed_at: null });
    gate.open();
    await project.indexed();
    expect(await proxied(mistyped)).to.equal(302);
  });

  it('is not where a rule leads, until it is read', async () => {
    await project.post('/v1/rules', { path: '/old-pens', target: '/writing/fountain-pens' });
    await project.upsert(PAGE);
    await until('its words are stored', isFound);
    expect(await proxied('/old-pens')).to.equal(404);
    gate.open();
    await project.indexed();
    expect(await proxied('/old-pens')).to.equal(301);
  });

  it('is found by its new words, where its content changed meanwhile', async () => {
    await project.upsert(PAGE);
    await until('its words are stored', isFound);
    await project.upsert({ ...PAGE, content: 'held: calligraphy with broad strokes.' });
    const first = async (query: string): Promise<string | undefined> =>
      (await searched('semantic-search', query, 0))[0]?.url;
    await until(
      'the new words are stored',
      async () => (await first('calligraphy strokes')) === '/writing/fountain-pens',
    );
    const { rows } = await sql<{ word: string }>`
      select word from pathmend.vocabulary
       where project_id = ${project.row.project_id} and word in ('converter', 'calligraphy')`.execute(shop.service.db);
    expect(rows.map(({ word }) => word)).to.deep.equal(['calligraphy']);
  });

  it('is counted once with its words, and leaves none behind when it is deleted', async () => {
    const words = async (): Promise<unknown[]> =>
      (
        await sql`select word, pages from pathmend.vocabulary where project_id = ${project.row.project_id}
                   order by word`.execute(shop.service.db)
      ).rows;
    const before = await words();
    await project.upsert(PAGE);
    await until('its words are stored', isFound);
    const counted = await words();
    gate.open();
    await project.indexed();
    expect(await words()).to.deep.equal(counted);
    expect(counted.length).to.be.above(before.length);
    gate.close();
    await project.call('DELETE', '/v1/pages/delete', { url: URL });
    expect(await words()).to.deep.equal(before);
  });

  it('goes before all pages of an import, where it was pushed alone', async () => {
    await shop.service.deps.queue.stopWorking(indexWords);
    const pages = Array.from({ length: 60 }, (_, at) => ({
      url: `https://shop.example/held/${at}`,
      content: `held: page ${at} of many. ${'It is long. '.repeat(2_000)}`,
    }));
    await project.post('/v1/pages/batch', { pages });
    const { page_id: pageId } = (await project.upsert(PAGE)).body as { page_id: string };
    const next = await findWordlessPages(shop.service.db, project.row.project_id, 100);
    expect(next[0]).to.equal(pageId);
    const read = await readWordlessPages(shop.service.db, project.row.project_id, next, 1_000_000);
    expect(read.filter(({ content }) => content === null)).to.have.length.above(10);
    expect(read.find(({ page_id }) => page_id === pageId)?.content).to.equal(`${PAGE.title}\n\n${PAGE.content}`);
  });

  it('is found although the database refuses the words of a page that waits with it', async () => {
    await shop.service.deps.queue.stopWorking(indexWords);
    await shop.service.database.connection.pool.query(`
      create function refuse() returns trigger language plpgsql as
        $$ begin if new.path like '%/poison%' then raise exception 'refused'; end if; return new; end $$;
      create trigger refuse before insert on pathmend.indexed_pages for each row execute function refuse()`);
    await project.upsert({ url: 'https://shop.example/poison', content: 'held: poison.' });
    await project.upsert(PAGE);
    await shop.service.deps.queue.work(indexWords, { ...shop.service.deps, embedded: true });
    await until('its words are stored', isFound);
    expect(await findWordlessPages(shop.service.db, project.row.project_id, 100)).to.deep.equal([]);
  });
});

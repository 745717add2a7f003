import { inTransaction } from '#src/platform/database/session/connect.js';
import { lockUnchangedPages } from '#src/pages/store/index-rows.js';
import { expect } from 'chai';
import type { Embedder } from '#src/embedding/embedder.js';
import { cutHead } from '#src/pages/indexing/embed-page.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';
import { until } from '../../../support/until.js';
import { EmbeddingGate, wrapEmbedder } from '../../../support/wrap-embedder.js';

const sentence = (about: string): string => `The gardener waters ${about} in the morning, before the sun is high. `;
/** A page with a head about one thing and a rest about another. */
const long = (head: string, rest: string): string =>
  `${sentence(head).repeat(18).trim()}\n\n${sentence(rest).repeat(18)}`;
const url = (name: string): string => `https://garden.example/beds/${name}`;

describe('a long page, where the model is slow', () => {
  const gate = new EmbeddingGate('held');
  let garden: TestService;
  let project: TestProject;

  /** The static model says that it is as slow as an encoder. */
  const slow = (real: Embedder): Embedder =>
    wrapEmbedder(real, { load: async (location) => ({ ...(await real.load(location)), chunkMs: 20 }) });

  before(async function () {
    this.timeout(120_000);
    garden = await startTestService({}, { wrapEmbedder: (real) => slow(gate.wrap(real)) });
  });

  after(async () => {
    gate.open();
    await garden.stop();
  });

  beforeEach(async () => {
    gate.close();
    gate.begun.length = 0;
    project = await garden.newProject();
  });

  afterEach(() => {
    gate.open();
  });

  interface Stored {
    status: string;
    understood: boolean;
    indexed: boolean;
    chunks: number;
    end: number;
  }
  const stored = async (): Promise<Stored | undefined> =>
    (
      await project.query<Stored>(
        `select p.status, x.understood, x.indexed_at is not null as indexed, count(w.ordinal)::int as chunks, max(w.end_at) as end
           from pathmend.pages p join pathmend.indexed_pages x using (project_id, page_id)
           left join pathmend.chunks w on w.project_id = p.project_id and w.page_id = p.page_id and w.ordinal >= 0
          where p.project_id = $1 group by 1, 2, 3`,
      )
    )[0];
  const waitingJobs = async (): Promise<number> =>
    (
      await project.query<{ jobs: number }>(
        `select count(*)::int as jobs from pgboss.job where name = 'vectorize-page' and data->>'projectId' = $1::text
           and state in ('created', 'retry')`,
      )
    )[0]?.jobs ?? -1;

  it('is understood by its beginning while its rest waits, and INDEXED with all of it', async () => {
    const content = long('quinces', 'held beans');
    await project.upsert({ url: url('quinces'), content });
    await until('the rest is in work', () => gate.holds('held'));
    const { length } = cutHead(content);
    expect(await stored()).to.deep.equal({
      status: 'PROCESSING',
      understood: true,
      indexed: false,
      chunks: 2,
      end: length - 2,
    });
    const [page] = await project.query<{ pageId: string; contentVersion: string }>(
      'select page_id as "pageId", content_version as "contentVersion" from pathmend.pages where project_id = $1',
    );
    const late = await inTransaction(garden.service.db, (trx) =>
      lockUnchangedPages(trx, project.row.project_id, page ? [page] : [], true),
    );
    expect([...late.keys()], 'words that were prepared before, and come late').to.deep.equal([]);
    gate.open();
    await project.indexed();
    const whole = await stored();
    expect(whole).to.include({ status: 'INDEXED', understood: true, indexed: true, end: content.trimEnd().length });
    expect(whole?.chunks).to.be.above(3);
  });

  it('has its rest read after all pages that nobody has read', async () => {
    // Two batches are in work at a time: a third has all pages that come now.
    for (const [at, name] of ['first', 'second'].entries()) {
      await project.upsert({ url: url(name), content: `held ${name}: ${sentence('roses')}` });
      await until('a batch is in work', () => gate.begun.filter((text) => text.startsWith('held')).length > at);
    }
    const pages = ['quinces', 'apricots'].map((name) => ({
      url: url(name),
      content: long(name, `beans by the ${name}`),
    }));
    for (const page of pages) await project.upsert(page);
    for (const name of ['mint', 'sage', 'thyme']) await project.upsert({ url: url(name), content: sentence(name) });
    gate.open();
    await project.indexed();
    const places = (text: string): number[] =>
      gate.begun.flatMap((content, at) => (content.includes(text) ? [at] : []));
    const rests = places('beans by the');
    const firstRead = ['mint', 'sage', 'thyme'].map((name) => Math.min(...places(`waters ${name}`)));
    expect(Math.min(...rests)).to.be.above(Math.max(...firstRead));
  });

  it('takes its waiting rest along when it is deleted', async () => {
    await project.upsert({ url: url('quinces'), content: long('quinces', 'held beans') });
    await until('the rest is in work', () => gate.holds('held'));
    await project.upsert({ url: url('apricots'), content: long('apricots', 'held peas') });
    await until(
      'its head is stored',
      async () =>
        (await project.query('select from pathmend.indexed_pages where project_id = $1 and understood')).length === 2,
    );
    await project.call('DELETE', '/v1/pages/delete', { url: url('apricots') });
    expect(await waitingJobs()).to.equal(0);
  });

  it('is found by all of its former content until all of the new one is read', async () => {
    gate.open();
    await project.upsert({ url: url('quinces'), content: long('quinces', 'beans') });
    await project.indexed();
    const before = await stored();
    gate.close();
    await project.upsert({ url: url('quinces'), content: long('apricots', 'held peas') });
    await until('the new content is in work', () => gate.holds('held'));
    expect(await stored()).to.deep.equal({ ...before, status: 'PROCESSING' });
  });

  it('is where a deleted page with nearly its text moved to, once all of it is read', async () => {
    const text = (rest: string): string => `${long('quinces', 'beans')} ${sentence(rest)}`;
    gate.open();
    await project.upsert({ url: url('old-quinces'), content: text('peas') });
    await project.indexed();
    await project.call('DELETE', '/v1/pages/delete', { url: url('old-quinces') });
    gate.close();
    await project.upsert({ url: 'https://garden.example/plants/fruit', content: text('held peas') });
    await until('the rest is in work', () => gate.holds('held'));
    const moved = async (): Promise<number> =>
      (await project.post('/v1/suggest', { path: '/beds/old-quinces', options: { searchThreshold: 0 } })).body
        .suggestions[0].score as number;
    expect(await moved()).to.be.below(0.9);
    gate.open();
    await project.indexed();
    expect(await moved()).to.be.above(0.95);
  });
});

import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { onServer } from '../../../support/database.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';
import { until } from '../../../support/until.js';
import { EmbeddingGate } from '../../../support/wrap-embedder.js';

const URL = 'https://shop.example/pens/blue';
const OLD = 'A blue fountain pen with a steel nib.';
const HELD = 'held: a telescope for looking at the moon.';

describe('the states of a page', () => {
  const gate = new EmbeddingGate('held');
  let testService: TestService;
  let project: TestProject;

  before(async function () {
    this.timeout(120_000);
    testService = await startTestService({}, { wrapEmbedder: gate.wrap });
  });

  after(async () => {
    gate.open();
    await testService.stop();
  });

  beforeEach(async () => {
    gate.close();
    gate.begun.length = 0;
    project = await testService.newProject();
  });

  afterEach(() => {
    gate.open();
  });

  const push = async (content: string, url = URL): Promise<{ status: string; action: string }> =>
    (await project.upsert({ url, content })).body as { status: string; action: string };
  const best = async (query: string): Promise<{ url: string; score: number } | undefined> =>
    (await project.post('/v1/semantic-search', { query, options: { searchThreshold: 0 } })).body.suggestions[0];

  /**
   * Holds the other batches that a process works on at once, where one batch is held already. On a server, a process
   * works on two.
   */
  async function keepTheOthersBusy(): Promise<void> {
    if (!onServer()) return;
    await push(`${HELD} Elsewhere.`, 'https://shop.example/elsewhere');
    await until('the other worker is busy', () => gate.begun.some((content) => content.includes('Elsewhere')));
  }

  async function waitingJobs(): Promise<number> {
    const { rows } = await sql<{ jobs: number }>`select count(*)::int as jobs from pgboss.job
      where name = 'vectorize-page' and data->>'projectId' = ${project.row.project_id} and state in ('created', 'retry')`.execute(
      testService.service.db,
    );
    return rows[0]?.jobs ?? -1;
  }

  it('go from PENDING_VECTORIZATION over PROCESSING to INDEXED', async () => {
    expect((await push(HELD)).status).to.equal('PENDING_VECTORIZATION');
    await until('a worker took the page', () => gate.holds('held'));
    expect((await push(HELD)).status).to.equal('PROCESSING');
    gate.open();
    await project.indexed();
    expect((await push(HELD)).status).to.equal('INDEXED');
    expect((await best(HELD))?.url).to.equal('/pens/blue');
  });

  it('go back to PENDING_VECTORIZATION when content changes, whatever the state', async () => {
    await push(HELD);
    await until('a worker took the page', () => gate.holds('held'));
    const changed = await push(`${HELD} Changed.`);
    expect([changed.action, changed.status]).to.deep.equal(['updated_content', 'PENDING_VECTORIZATION']);
    gate.open();
    await project.indexed();
    expect((await push('Something else.')).status).to.equal('PENDING_VECTORIZATION');
  });

  it('keep a page findable by its old vectors until the new ones are in', async () => {
    await push(OLD);
    await push('Opening hours: nine to six.', 'https://shop.example/hours');
    await project.indexed();
    const before = await best(OLD);
    expect(before?.url).to.equal('/pens/blue');

    await push(HELD);
    await until('the new content is in work', () => gate.holds('held'));
    // The heading is read from the content as it is now, and moves the score a little.
    const meanwhile = await best(OLD);
    expect(meanwhile?.url, 'while the new content is in work').to.equal('/pens/blue');
    expect(meanwhile?.score).to.be.closeTo(before?.score ?? 0, 0.01);
    const suggested = await project.post('/v1/suggest', { path: '/pens/blue', options: { searchThreshold: 0 } });
    expect(suggested.body.suggestions[0].url).to.equal('/pens/blue');

    gate.open();
    await project.indexed();
    expect((await best(HELD))?.url).to.equal('/pens/blue');
    expect((await best(OLD))?.score ?? 0, 'the old vectors are gone').to.be.below(before?.score ?? 0);
  });

  it('drop stale work: content that was replaced before its turn is never embedded', async () => {
    await push(`${HELD} First.`);
    await until('a worker took the page', () => gate.holds('First'));
    await keepTheOthersBusy();
    for (const round of ['Second', 'Third', 'Last']) await push(`${HELD} ${round}.`);
    gate.open();
    await project.indexed();
    // The last word of each content. The words of the page's path, which are embedded too, have no full stop.
    const begun = gate.begun.filter((text) => text.endsWith('.')).map((content) => content.split(' ').at(-1));
    expect(begun.filter((word) => word !== 'Elsewhere.')).to.deep.equal(['First.', 'Last.']);
    expect((await best(`${HELD} Last.`))?.url).to.equal('/pens/blue');
  });

  it('drop the work on a page that is deleted meanwhile', async () => {
    await push(HELD);
    await until('a worker took the page', () => gate.holds('held'));
    expect((await project.call('DELETE', '/v1/pages/delete', { url: URL })).status).to.equal(200);
    gate.open();
    await push('Sentinel.', 'https://shop.example/sentinel');
    await project.indexed();
    const { body } = await project.post('/v1/retrieve', { query: HELD, top_k: 100 });
    const urls = (body.documents as { url: string }[]).map(({ url }) => url);
    expect(urls).to.deep.equal(['https://shop.example/sentinel']);
  });

  it('take the waiting work with a page that is deleted', async () => {
    await push(HELD);
    await until('a worker is busy', () => gate.holds('held'));
    await keepTheOthersBusy();
    await push('Waiting for its turn.', 'https://shop.example/waiting');
    expect(await waitingJobs()).to.equal(1);
    await project.call('DELETE', '/v1/pages/delete', { url: 'https://shop.example/waiting' });
    expect(await waitingJobs()).to.equal(0);
  });

  it('end a burst of upserts INDEXED, with the last content', async () => {
    gate.open();
    for (let round = 0; round < 25; round++) await push(`Round ${round} of a blue pen, burst after burst.`);
    const last = 'A telescope for looking at the moon.';
    await push(last);
    await project.indexed();
    expect((await push(last)).status).to.equal('INDEXED');
    const { body } = await project.post('/v1/retrieve', { query: last, top_k: 100 });
    expect((body.documents as { content: string }[]).map(({ content }) => content)).to.deep.equal([last]);
    // The vectors are the last content's, too: those of an earlier one would not be nearest to it by far.
    await push(last, 'https://shop.example/twin');
    await project.indexed();
    const twins = (await project.post('/v1/retrieve', { query: last, top_k: 2 })).body.documents as { score: number }[];
    expect(twins[0]?.score).to.equal(twins[1]?.score);
  });

  it('end upserts at the same time INDEXED, with one and the same content stored and searched', async () => {
    gate.open();
    const contents = [
      'About telescopes and moons.',
      'About bread and butter.',
      'About rain in April.',
      'About taxes and forms.',
    ];
    await Promise.all(Array.from({ length: 16 }, (_, at) => push(contents[at % 4] ?? '')));
    await project.indexed();
    const {
      body: {
        documents: [stored],
      },
    } = await project.post('/v1/retrieve', { query: 'about' });
    await push(stored.content as string, 'https://shop.example/twin');
    await project.indexed();
    const { body } = await project.post('/v1/retrieve', { query: stored.content });
    const scores = (body.documents as { score: number }[]).map(({ score }) => score);
    expect(scores).to.deep.equal([scores[0], scores[0]]);
  });
});

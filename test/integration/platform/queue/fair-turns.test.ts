import { expect } from 'chai';
import { countPagesByStatus } from '#src/pages/store/page-counts.js';
import { createPageCheck } from '#src/pages/check-page.js';
import { upsertPages } from '#src/pages/upsert-pages.js';
import { inParallel } from '../../../support/in-parallel.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';
import { until } from '../../../support/until.js';
import { EmbeddingGate } from '../../../support/wrap-embedder.js';

/** A page of 1 MB in sentences, of which no two are the same. */
function longContent(page: number): string {
  let content = '';
  for (let i = 0; content.length < 1_000_000; i++)
    content += `Chapter ${page} tells in its sentence number ${i} how the kettle of model ${i % 977} is mended. `;
  return content.slice(0, 1_000_000);
}

describe("a page beside another customer's many", function () {
  this.timeout(240_000);
  let test: TestService;
  const gate = new EmbeddingGate('A page, number');

  before(async () => {
    test = await startTestService({}, { wrapEmbedder: gate.wrap });
  });
  after(() => test.stop());

  const waiting = async (project: TestProject): Promise<number> => {
    const counts = await countPagesByStatus(test.service.db, project.row.project_id);
    return counts.PENDING_VECTORIZATION + counts.PROCESSING;
  };

  it('waits for some of those in work, not for all that were pushed before it', async () => {
    const [many, one] = await Promise.all([test.newProject(), test.newProject()]);
    const check = createPageCheck();
    const pages = Array.from({ length: 900 }, (_, i) =>
      check({ url: `https://many.example/${i}`, content: `A page, number ${i}.` }),
    );
    await upsertPages(test.service.deps, test.service.deps.tenants.of(many.row.project_id), pages);
    await until('the first of them are being embedded', () => gate.holds('A page, number'));
    await one.upsert({ url: 'https://one.example/pushed', content: 'Somebody else pushed this.' });
    gate.open();
    await until('the one is embedded', () => gate.begun.some((content) => content.startsWith('Somebody')));
    // On a server two workers have a batch of 128 in hand each, and one more may be fetched behind each.
    expect(gate.begun.findIndex((content) => content.startsWith('Somebody'))).to.be.at.most(4 * 128);
    await many.indexed();
  });

  it('is indexed while most of twelve long ones wait', async () => {
    const [many, one] = await Promise.all([test.newProject(), test.newProject()]);
    const contents = Array.from({ length: 12 }, (_, page) => longContent(page));
    await inParallel([...contents.entries()], ([page, content]) =>
      many.upsert({ url: `https://many.example/long/${page}`, content }),
    );
    await until(
      'some of them are in work',
      async () => (await countPagesByStatus(test.service.db, many.row.project_id)).PROCESSING > 0,
    );
    await one.upsert({ url: 'https://one.example/pushed', content: 'Somebody else pushed this.' });
    await one.indexed();
    expect(await waiting(many)).to.be.at.least(7);
    const { body } = await one.post('/v1/suggest', { path: '/pushed' });
    expect(body.suggestions[0].url).to.equal('/pushed');
  });
});

import { expect } from 'chai';
import { createPageCheck } from '#src/pages/check-page.js';
import { upsertPages } from '#src/pages/upsert-pages.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';
import { until } from '../../../support/until.js';
import { EmbeddingGate } from '../../../support/wrap-embedder.js';

/** On a server two workers have a batch of 128 in hand each, and one more may be fetched behind each. */
const IN_HAND = 4 * 128;

describe('a page that somebody pushes', function () {
  this.timeout(240_000);
  let test: TestService;
  const gate = new EmbeddingGate('A page, number');

  before(async () => {
    test = await startTestService({}, { wrapEmbedder: gate.wrap });
  });
  after(() => test.stop());

  /** Pushes many pages, then one; returns how many of them came before it. */
  async function pushedBefore(many: TestProject, single: TestProject, ...urgency: 'bulk'[]): Promise<number> {
    gate.close();
    gate.begun.length = 0;
    const check = createPageCheck();
    const pages = Array.from({ length: 900 }, (_, i) =>
      check({ url: `https://many.example/${i}`, content: `A page, number ${i}.` }),
    );
    await upsertPages(test.service.deps, test.service.deps.tenants.of(many.row.project_id), pages, ...urgency);
    await until('the first of them are being embedded', () => gate.holds('A page, number'));
    await single.upsert({ url: 'https://one.example/pushed', content: 'Somebody just pushed this.' });
    gate.open();
    const turn = (): number => gate.begun.findIndex((content) => content.startsWith('Somebody'));
    await until('the one is embedded', () => turn() !== -1);
    await many.indexed();
    return turn();
  }

  it("waits for some of another customer's that are in work, not for all that were pushed before it", async () => {
    expect(await pushedBefore(await test.newProject(), await test.newProject())).to.be.at.most(IN_HAND);
  });

  it('is indexed long before an import of the same project is through', async () => {
    const project = await test.newProject();
    expect(await pushedBefore(project, project, 'bulk')).to.be.at.most(IN_HAND);
    expect(gate.begun.filter((content) => content.includes('A page, number')).length).to.be.at.least(900);
  });
});

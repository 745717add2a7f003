import { expect } from 'chai';
import { createPageCheck } from '#src/pages/check-page.js';
import { upsertPages } from '#src/pages/upsert-pages.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { until } from '../../../support/until.js';
import { EmbeddingGate } from '../../../support/wrap-embedder.js';

describe("a page beside another customer's many", function () {
  this.timeout(240_000);
  let test: TestService;
  const gate = new EmbeddingGate('A page, number');

  before(async () => {
    test = await startTestService({}, { wrapEmbedder: gate.wrap });
  });
  after(() => test.stop());

  it('waits for some of those in work, not for all that were pushed before it', async () => {
    const [many, one] = await Promise.all([test.newProject(), test.newProject()]);
    const check = createPageCheck(test.service.deps.limits);
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
});

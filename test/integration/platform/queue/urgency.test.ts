import { expect } from 'chai';
import { createPageCheck } from '#src/pages/check-page.js';
import { upsertPages } from '#src/pages/upsert-pages.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { until } from '../../../support/until.js';
import { EmbeddingGate } from '../../../support/wrap-embedder.js';

describe('a page that somebody pushes while an import waits', () => {
  /** More than are in work at once: two batches of 128 on a server, one of 16 on the embedded database. */
  const IMPORTED = 900;
  let test: TestService;
  const gate = new EmbeddingGate('imported');

  before(async function () {
    this.timeout(60_000);
    test = await startTestService({}, { wrapEmbedder: gate.wrap });
  });
  after(() => test.stop());

  it('is indexed long before the import is through', async () => {
    const project = await test.newProject();
    const check = createPageCheck();
    const pages = Array.from({ length: IMPORTED }, (_, i) =>
      check({ url: `https://import.example/${i}`, content: `An imported page, number ${i}.` }),
    );
    await upsertPages(test.service.deps, test.service.deps.tenants.of(project.row.project_id), pages, 'bulk');
    await until('the first pages of the import are being embedded', () => gate.holds('imported'));
    await project.upsert({ url: 'https://import.example/pushed', content: 'Somebody just pushed this.' });
    gate.open();
    await until('the pushed page is embedded', () => gate.begun.some((content) => content.startsWith('Somebody')));
    // What was in work already goes first.
    const before = gate.begun.findIndex((content) => content.startsWith('Somebody'));
    expect(before).to.be.at.most(400);
    await project.indexed();
    expect(gate.begun.filter((content) => content.includes('imported')).length).to.be.at.least(IMPORTED);
  });
});

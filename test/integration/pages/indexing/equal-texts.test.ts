import { expect } from 'chai';
import { createKnownVectors, preparePage, storePreparedPages } from '#src/pages/indexing/index-pages.js';
import { claimPages } from '#src/pages/store/page-status.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import type { ModelRegistry } from '#src/embedding/model-registry.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';

const paragraph = (n: number, word = 'quinces'): string =>
  `## Part ${n}\n\nIn part ${n} the gardener waters ${word}, beans and roses. ${`Number ${n} of them grows well in the shade of the wall. `.repeat(12)}`;
const page = (...parts: string[]): string => parts.join('\n\n');
const PARTS = Array.from({ length: 12 }, (_, n) => paragraph(n));
const FOOTER = `## Legal notice\n\n${'All texts belong to the garden and its gardeners, who answer for them. '.repeat(10)}`;

describe('a text that a project has already', function () {
  this.timeout(60_000);
  let service: TestService;
  let project: TestProject;
  let embedded: string[] = [];
  let models: ModelRegistry;

  before(async () => {
    // No workers: the test does their work, step by step.
    service = await startTestService({}, { role: 'api' });
    const real = service.service.models;
    models = {
      ...real,
      // This model works as one that takes long for a passage: it asks for the vectors that are known.
      embedContent: async (modelId, content, options) => {
        const passages = await real.embedContent(modelId, content);
        const texts = passages.map(({ start, end }) => content.slice(start, end));
        const known = (await options?.known?.(texts)) ?? [];
        embedded.push(...texts.filter((_, at) => !known[at]));
        return passages.map((passage, at) => ({ ...passage, vector: known[at] ?? passage.vector }));
      },
    };
  });
  after(() => service.stop());

  beforeEach(async () => {
    project = await service.newProject();
  });

  /** The texts that are embedded when a page is pushed and indexed. */
  async function index(path: string, content: string, to = project): Promise<string[]> {
    const projectId = to.row.project_id;
    const pageId = (await to.upsert({ url: `https://garden.example${path}`, content })).body.page_id as string;
    const [claimed] = await inTransaction(service.service.db, (trx) => claimPages(trx, [{ projectId, pageId }]));
    if (!claimed) throw new Error('the page was not claimed');
    const { tenants } = service.service.deps;
    const { modelId } = await models.named('static');
    embedded = [];
    const prepared = await preparePage(models, claimed, modelId, createKnownVectors(tenants));
    await storePreparedPages(tenants.of(projectId), [prepared]);
    return embedded;
  }

  const vectorsOf = async (): Promise<unknown[]> =>
    (
      await service.service.database.connection.pool.query(
        `select page_id, ordinal, text_hash::text, embedding::text from pathmend.chunks
          where project_id = $1 order by page_id, ordinal`,
        [project.row.project_id],
      )
    ).rows;

  it('is not embedded again when the page is indexed anew, and keeps its vector', async () => {
    expect((await index('/beds', page(...PARTS))).length).to.be.above(12);
    const before = await vectorsOf();
    expect(await index('/beds', `${page(...PARTS)} `)).to.deep.equal([]);
    expect(await vectorsOf()).to.deep.equal(before);
  });

  it('is not embedded again where an edit left it as it was: one word costs the passages that have it', async () => {
    await index('/beds', page(...PARTS));
    const edited = [...PARTS];
    edited[6] = paragraph(6, 'apricots');
    const again = await index('/beds', page(...edited));
    expect(again).to.have.length.within(1, 2);
    expect(again.join(' ')).to.include('apricots');
  });

  it('is not embedded again on another page of the project, whatever stands around it', async () => {
    await index('/beds', page(paragraph(1), FOOTER));
    const again = await index('/trees', page(paragraph(2), FOOTER));
    expect(again.length).to.be.above(0);
    expect(again.some((text) => text.includes('Legal notice'))).to.equal(false);
  });

  it('is embedded for every project by itself', async () => {
    await index('/beds', page(...PARTS));
    const other = await service.newProject();
    expect((await index('/beds', page(...PARTS), other)).length).to.be.above(12);
  });
});

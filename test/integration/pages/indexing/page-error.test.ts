import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { listPages, type ListedPage } from '#src/pages/store/page-counts.js';
import { vectorizePage } from '#src/pages/indexing/vectorize-job.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';
import { retryNow } from '../../../support/retry-now.js';
import { until } from '../../../support/until.js';
import { wrapEmbedder } from '../../../support/wrap-embedder.js';

const URL = 'https://shop.example/pens/blue';
const GOOD = 'A blue fountain pen with a steel nib.';
const POISON = 'poison: this content makes the model fail.';

describe('a page that cannot be vectorized', () => {
  let testService: TestService;
  let project: TestProject;
  let fails = true;
  let attempts = 0;

  before(async function () {
    this.timeout(120_000);
    testService = await startTestService(
      {},
      {
        log: new PassThrough().resume(),
        wrapEmbedder: (real) =>
          wrapEmbedder(real, {
            embedContent: (fingerprint, content, options) => {
              if (content !== POISON) return real.embedContent(fingerprint, content, options);
              attempts++;
              if (fails) return Promise.reject(new Error('no vector for this one'));
              return real.embedContent(fingerprint, content, options);
            },
          }),
      },
    );
    project = await testService.newProject();
  });

  after(() => testService.stop());

  const page = async (): Promise<ListedPage | undefined> =>
    (await listPages(testService.service.db, project.row.project_id, {}, undefined, 10)).find(({ url }) => url === URL);
  const findUrls = async (query: string): Promise<string[]> => {
    const { body } = await project.post('/v1/semantic-search', { query, options: { searchThreshold: 0 } });
    return (body.suggestions as { url: string }[]).map(({ url }) => url);
  };

  it('ends in ERROR once the retries are used up, keeps the reason, and holds up no other page', async function () {
    this.timeout(90_000);
    await project.upsert({ url: URL, content: GOOD });
    await project.indexed();
    await project.upsert({ url: URL, content: POISON });
    await project.upsert({ url: 'https://shop.example/other', content: 'Opening hours: nine to six.' });
    await until('the other page is found', async () => (await findUrls('opening hours')).includes('/other'));
    await until(
      'the page is in ERROR',
      async () => {
        await retryNow(testService.service, vectorizePage);
        return (await page())?.status === 'ERROR';
      },
      60_000,
    );
    expect((await page())?.error).to.include('no vector for this one');
    expect(attempts).to.equal(4);
  });

  it('stays findable by its old vectors meanwhile', async () => {
    expect(await findUrls(GOOD)).to.include('/pens/blue');
  });

  it('is queued again by an upsert that changes nothing', async () => {
    fails = false;
    const { body } = await project.upsert({ url: URL, content: POISON });
    expect(body.status).to.equal('PENDING_VECTORIZATION');
    expect(body.message).not.to.match(/nothing changed/i);
    await project.indexed();
    expect(await page()).to.include({ status: 'INDEXED', error: null });
    expect(await findUrls(POISON)).to.include('/pens/blue');
  });
});

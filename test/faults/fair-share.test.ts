import { expect } from 'chai';
import { Gate } from '../support/gated-embedder.js';
import { startTestService, type Answer, type TestProject, type TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { wrapEmbedder } from '../support/wrap-embedder.js';

/** Eight searches run at once: those of one customer's flood wait at the gate, those of another pass. */
const SETTINGS = { DATABASE_POOL: '10', SEARCH_CACHE_ENTRIES: '0', MAX_BYTES_IN_HAND: String(8 * 2 ** 20) };
const FLOOD = 'flood';

const WORDS = 8;

describe('one customer who asks for too much', function () {
  this.timeout(120_000);
  const gate = new Gate();
  let test: TestService;
  let flooding: TestProject;
  let other: TestProject;

  before(async () => {
    test = await startTestService(SETTINGS, {
      wrapEmbedder: (real) =>
        wrapEmbedder(real, {
          embedQuery: async (fingerprint, text, options) => {
            if (text.startsWith(FLOOD)) await gate.pass();
            return real.embedQuery(fingerprint, text, options);
          },
        }),
    });
    [flooding, other] = await Promise.all([test.newProject(), test.newProject()]);
    for (const project of [flooding, other]) {
      await project.upsert({ url: 'https://shop.example/help/shipping-times', content: 'Parcels take three days.' });
      await project.indexed();
    }
  });

  beforeEach(() => {
    gate.close();
  });
  afterEach(() => {
    gate.open();
  });
  after(() => test.stop());

  const statuses = async (answers: Promise<Answer>[]): Promise<number[]> =>
    (await Promise.all(answers)).map(({ status }) => status);
  const searches = () => test.service.deps.bulkheads.searches.stats();

  it('by searches of which none ends: another is answered at once, and the flood refuses itself', async () => {
    const flood = Array.from({ length: 300 }, (_, i) =>
      flooding.post('/v1/retrieve', { query: `${FLOOD} ${i}`, top_k: 100 }),
    );
    await until('the flood finds no more room', () => searches().refused > 0);
    const otherSearches = Array.from({ length: 20 }, (_, i) =>
      other.post('/v1/semantic-search', { query: `parcels ${i}` }),
    );
    expect(new Set(await statuses(otherSearches))).to.deep.equal(new Set([200]));
    gate.open();
    const answers = await statuses(flood);
    expect(new Set(answers)).to.deep.equal(new Set([200, 503]));
    // 256 searches of the flood found room; on a slow machine some of them wait for too long.
    expect(answers.filter((status) => status === 200).length).to.be.at.least(100);
  });

  it('by pages of one endless word: the page of another does not wait for all of them', async () => {
    gate.open();
    const letters = 'etaoinshrdlucmfwypvbgkjqxz';
    const word = Array.from({ length: 400_000 }, (_, at) => letters.charAt((at * at + (at >> 5)) % 26)).join('');
    for (let n = 0; n < WORDS; n++) await flooding.upsert({ url: `https://shop.example/word/${n}`, content: word });
    await other.upsert({ url: 'https://shop.example/help/returns', content: 'Send it back.' });
    const indexedAt = async (of: TestProject): Promise<number[]> => {
      await of.indexed();
      const { body } = await of.call('GET', '/v1/pages');
      const { pages } = body as { pages: { indexed_at: string; url: string }[] };
      return pages.filter(({ url }) => /\/(?:word\/\d|returns)$/.test(url)).map((page) => Date.parse(page.indexed_at));
    };
    const [otherIndexedAt = Infinity] = await indexedAt(other);
    const theirs = await indexedAt(flooding);
    expect(theirs).to.have.length(WORDS);
    // The first pages of the flood may be indexed before the other customer's page comes.
    expect(otherIndexedAt).to.be.below(Math.max(...theirs));
  });

  it('by answers that are not taken: another finds room for its bytes', async () => {
    const { bytes } = test.service.deps;
    const held = Array.from({ length: 10 }, () => bytes.hold(flooding.row.project_id));
    for (const hold of held)
      try {
        hold.add(2 ** 20);
      } catch {
        break;
      }
    const page = { url: 'https://shop.example/large', content: 'Parcels are large. '.repeat(30_000) };
    expect((await flooding.call('POST', '/v1/pages/upsert', page)).status).to.equal(503);
    expect((await other.call('POST', '/v1/pages/upsert', page)).status).to.equal(202);
    for (const hold of held) hold.release();
  });
});

import { expect } from 'chai';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';

const CONTENTS = [
  'Send an item back within thirty days. Print the return label, pack the item and hand the parcel in.',
  'The shop opens at nine and closes at six, on Saturdays at four.',
  '# Pens\n\nFountain pens with  steel and golden nibs,\r\nin blue and black.\t\n',
  'Sow tomatoes in March and water the seedlings every day.',
  'A telescope shows the rings of Saturn and the moons of Jupiter.',
];

const FIRST = { title: 'Returns', metadata: { section: 'help', deep: [{ a: null }] } };

interface Document {
  id: string;
  url: string;
  content: string;
  score: number;
}

describe('POST /v1/retrieve', () => {
  let project: TestProject;
  const ids: string[] = [];

  before(async () => {
    project = await sharedService().newProject();
    for (const [at, content] of CONTENTS.entries()) {
      const extra = [FIRST, { metadata: {} }][at] ?? {};
      const { body } = await project.upsert({ url: `https://shop.example/p/${at}?v=1`, content, ...extra });
      ids.push(body.page_id as string);
    }
    await project.indexed();
  });

  async function ask(query: string, rest: Record<string, unknown> = {}): Promise<Document[]> {
    const { status, body } = await project.post('/v1/retrieve', { query, ...rest });
    expect(status, query).to.equal(200);
    expect(body, 'no search_id').to.have.all.keys('documents');
    return body.documents as Document[];
  }

  it('returns whole documents: id, full URL, title, content to the letter, score, metadata', async () => {
    const [first] = await ask('How do I send a parcel back?');
    expect(first).to.have.all.keys('id', 'url', 'title', 'content', 'score', 'metadata');
    expect(first).to.deep.include({ id: ids[0], url: 'https://shop.example/p/0?v=1', content: CONTENTS[0], ...FIRST });
    expect((await ask('golden nibs of fountain pens'))[0]?.content).to.equal(CONTENTS[2]);
  });

  it('leaves out title and metadata where the page has none', async () => {
    const all = await ask('shop', { top_k: 100 });
    for (const document of all.filter(({ id }) => id !== ids[0])) {
      expect(document).to.have.all.keys('id', 'url', 'content', 'score');
    }
  });

  it('lists the best first, 3 by default and top_k at most, without a threshold', async () => {
    expect(await ask('zebra crossing')).to.have.lengthOf(3);
    for (const top_k of [1, 4, 100]) {
      const documents = await ask('shop', { top_k });
      expect(documents).to.have.lengthOf(Math.min(top_k, 5));
      expect(documents.map(({ score }) => score)).to.deep.equal(
        documents.map(({ score }) => score).sort((a, b) => b - a),
      );
      for (const { score } of documents) expect(score).to.be.within(0, 1);
    }
  });

  it('ranks and scores as semantic-search does', async () => {
    for (const query of ['parcel', 'saturn', 'when do you open?']) {
      const documents = await ask(query, { top_k: 100 });
      const { body } = await project.post('/v1/semantic-search', {
        query,
        limit: 100,
        options: { searchThreshold: 0 },
      });
      const suggestedPages = (body.suggestions as Document[]).map(({ url, score }) => [
        `https://shop.example${url}`,
        score,
      ]);
      expect(documents.map(({ url, score }) => [url, score])).to.deep.equal(suggestedPages);
    }
  });

  it('knows filters on top, and ignores limit and options', async () => {
    expect((await ask('shop', { filters: { section: 'help' } })).map(({ id }) => id)).to.deep.equal([ids[0]]);
    expect(await ask('shop', { filters: { section: 'other' } })).to.deep.equal([]);
    expect(
      await ask('shop', { limit: 'x', options: { filters: { section: 'help' }, searchThreshold: 1 } }),
    ).to.have.lengthOf(3);
  });

  it('searches the calling project only', async () => {
    const other = await sharedService().newProject();
    expect((await other.post('/v1/retrieve', { query: CONTENTS[2] })).body.documents).to.deep.equal([]);
  });
});

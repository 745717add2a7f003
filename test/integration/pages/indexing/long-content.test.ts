import { expect } from 'chai';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';

const FILLER = [
  'The shop opens at nine and closes at six, on Saturdays at four.',
  'Fountain pens come with steel and golden nibs, in blue and black.',
  'Send an item back within thirty days and print the return label.',
  'We pack every parcel by hand in our warehouse by the river.',
  'Paper is made of cotton and linen, and sold by the sheet.',
  'Gift cards are valid for three years from the day of purchase.',
];
const NEEDLE = 'Water the tomato seedlings in the greenhouse every morning.';

/** Prose of so many characters, in paragraphs, that says nothing of the needle. */
function prose(characters: number): string {
  const paragraphs: string[] = [];
  for (let at = 0, length = 0; length < characters; at++) {
    const paragraph = Array.from(
      { length: 5 },
      (_, line) => FILLER[(at * 5 + line * (1 + (at % 3))) % FILLER.length],
    ).join(' ');
    paragraphs.push(paragraph);
    length += paragraph.length + 2;
  }
  return paragraphs.join('\n\n');
}

describe('long content', () => {
  let project: TestProject;
  const long = `${prose(200_000)}\n\n# Greenhouse\n\n${NEEDLE}`;

  before(async function () {
    this.timeout(120_000);
    project = await sharedService().newProject();
    await project.upsert({ url: 'https://shop.example/long', content: long });
    for (const [at, sentence] of FILLER.entries()) {
      await project.upsert({ url: `https://shop.example/short/${at}`, content: sentence });
    }
    await project.indexed();
  });

  it('is found by what stands at its very end', async () => {
    expect(long.length).to.be.above(200_000);
    const { body } = await project.post('/v1/semantic-search', {
      query: NEEDLE,
      limit: 1,
      options: { searchThreshold: 0 },
    });
    expect(body.suggestions[0].url).to.equal('/long');
  });

  it('scores as its best passage does, not as the average of all', async () => {
    const other = await sharedService().newProject();
    const garden = `# Greenhouse\n\n${Array.from({ length: 20 }, () => NEEDLE).join(' ')}`;
    const filler = prose(100_000);
    await other.upsert({ url: 'https://shop.example/both', content: `${filler}\n\n${garden}` });
    await other.upsert({ url: 'https://shop.example/filler', content: filler });
    await other.upsert({ url: 'https://shop.example/garden', content: `${prose(2_000)}\n\n${garden}` });
    await other.indexed();
    const { body } = await other.post('/v1/semantic-search', { query: NEEDLE, options: { searchThreshold: 0 } });
    const scores = new Map(
      (body.suggestions as { url: string; score: number }[]).map(({ url, score }) => [url, score]),
    );
    const [ofBoth = 0, ofFiller = 0, ofGarden = 0] = ['/both', '/filler', '/garden'].map((url) => scores.get(url));
    expect(ofGarden).to.be.above(ofFiller);
    // One passage in a hundred speaks for it: an average would be next to the filler's.
    expect(ofBoth).to.be.above(3 * ofFiller);
  });

  it('appears once, however many of its passages fit', async () => {
    const routes = [
      ['/v1/suggest', 'limit'],
      ['/v1/semantic-search', 'limit'],
      ['/v1/retrieve', 'top_k'],
    ] as const;
    for (const [route, field] of routes) {
      const { body } = await project.post(route, {
        path: '/fountain-pens',
        query: FILLER[1],
        [field]: 100,
        options: { searchThreshold: 0 },
      });
      const urls = ((body.suggestions ?? body.documents) as { url: string }[]).map(({ url }) => url);
      expect(urls, route).to.have.lengthOf(7);
      expect(new Set(urls).size, route).to.equal(7);
    }
  });

  it('comes back whole from retrieve', async () => {
    const { body } = await project.post('/v1/retrieve', { query: NEEDLE, top_k: 1 });
    expect(body.documents[0].content).to.equal(long);
  });

  it('that shrinks is no longer found by what it lost', async () => {
    const other = await sharedService().newProject();
    const url = 'https://shop.example/long';
    const score = async (): Promise<number> =>
      (await other.post('/v1/semantic-search', { query: NEEDLE, options: { searchThreshold: 0 } })).body.suggestions[0]
        .score as number;
    await other.upsert({ url, content: `${prose(20_000)}\n\n# Greenhouse\n\n${NEEDLE}` });
    await other.indexed();
    const before = await score();
    await other.upsert({ url, content: prose(2_000) });
    await other.indexed();
    expect(await score()).to.be.below(before);
  });
});

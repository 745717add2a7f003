import { expect } from 'chai';
import { expectError } from '../../../support/expect-error.js';
import { sharedService } from '../../../support/shared-service.js';
import type { Answer, TestProject } from '../../../support/service.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const PAGES: Record<string, string> = {
  'https://shop.example/help/returns/return-an-item?lang=en':
    'Send an item back within thirty days. Print the return label and hand the parcel in.',
  'https://shop.example/about/opening-hours': 'The shop opens at nine and closes at six, on Saturdays at four.',
  'https://shop.example/catalogue/fountain-pens': 'Fountain pens with steel and golden nibs, in blue and black.',
  'https://shop.example/catalogue/b%C3%BCcher': 'Books about handwriting.',
};
const EXACT = '/help/returns/return-an-item';

let project: TestProject;

async function newShop(): Promise<TestProject> {
  const shop = await sharedService().newProject();
  for (const [url, content] of Object.entries(PAGES)) await shop.upsert({ url, content });
  await shop.indexed();
  return shop;
}

describe('GET /v1/search', () => {
  before(async () => {
    project = await newShop();
  });

  const get = (query: string, rest = ''): Promise<Answer> =>
    project.call('GET', `/v1/search?query=${encodeURIComponent(query)}${rest}`);

  it('answers as semantic-search does, with its defaults', async () => {
    const otherQueries = ['opening hours & more', '100 % blue + black?', 'zebra', '/help/retruns.html'];
    for (const query of [...Object.values(PAGES), ...otherQueries]) {
      const { status, body } = await get(query);
      expect(status).to.equal(200);
      expect(body).to.have.all.keys('suggestions', 'search_id');
      expect(body.search_id).to.match(UUID);
      const posted = await project.post('/v1/semantic-search', { query });
      expect(body.suggestions, query).to.deep.equal(posted.body.suggestions);
    }
    expect((await get(PAGES['https://shop.example/about/opening-hours'] ?? '')).body.suggestions[0].url).to.equal(
      '/about/opening-hours',
    );
  });

  it('takes limit', async () => {
    const other = await sharedService().newProject();
    for (let at = 0; at < 5; at++) await other.upsert({ url: `https://shop.example/${at}`, content: 'Opening hours.' });
    await other.indexed();
    for (const [rest, count] of [
      ['', 3],
      ['&limit=1', 1],
      ['&limit=5', 5],
      ['&limit=100', 5],
    ] as const) {
      const { body } = await other.call('GET', `/v1/search?query=Opening%20hours.${rest}`);
      expect(body.suggestions, rest).to.have.lengthOf(count);
    }
  });

  it('answers HEAD like GET, without the body', async () => {
    const { status, text } = await project.call('HEAD', '/v1/search?query=pens');
    expect([status, text]).to.deep.equal([200, '']);
  });
});

describe('GET /v1/proxy', () => {
  before(async () => {
    project = await newShop();
  });

  const proxy = (url: string): Promise<Answer> => project.call('GET', `/v1/proxy?url=${encodeURIComponent(url)}`);

  it('redirects to the full URL of the page when suggest is nearly certain', async () => {
    for (const url of [EXACT, `https://old.example${EXACT}`, `https://shop.example${EXACT}.html#top`, ` ${EXACT} `]) {
      const answer = await proxy(url);
      expect(answer.status, `${url}: ${answer.text}`).to.equal(302);
      expect(answer.headers.get('location'), url).to.equal('https://shop.example/help/returns/return-an-item?lang=en');
      expect(answer.headers.get('cache-control')).to.equal('no-store');
    }
    expect((await proxy('/catalogue/bücher.html')).headers.get('location')).to.equal(
      'https://shop.example/catalogue/b%C3%BCcher',
    );
  });

  it('redirects above 0.9 and only there; else it is a 404 with the suggestions of suggest', async () => {
    const statuses = new Set<number>();
    const junk = ['zebra', 'crossing', 'telescope', 'gardening', 'tax', 'forms'];
    const paths = [EXACT, '/about/opening-hours', '/catalogue/fountain-pens'].flatMap((path) => [
      // From certain to hopeless, step by step.
      ...junk.map(
        (_, count) =>
          path +
          junk
            .slice(0, count)
            .map((word) => `-${word}`)
            .join(''),
      ),
      ...junk.map(
        (_, count) =>
          junk
            .slice(0, count)
            .map((word) => `/${word}`)
            .join('') + path.slice(path.lastIndexOf('/')),
      ),
      ...[3, 5, 7, 9].map((count) => path.slice(0, -count)),
    ]);
    for (const path of [...paths, '/', '/zebra', '/opening', '/hours', '/pens']) {
      const answer = await proxy(path);
      const { body } = await project.post('/v1/suggest', { path });
      const best = (body.suggestions as { score: number }[])[0];
      statuses.add(answer.status);
      if (Object.keys(PAGES).includes(`https://shop.example${path}`)) {
        expect(answer.headers.get('location'), path).to.not.equal(`https://shop.example${path}`);
      } else if (best && best.score > 0.9) {
        expect(answer.status, path).to.equal(302);
      } else if (best?.score !== 0.9) {
        // A score is shown rounded down to four places: 0.9 may be a little more.
        expectError(answer, 404, undefined, path);
        expect(answer.body.error.details).to.have.all.keys('suggestions', 'search_id');
        expect(answer.body.error.details.suggestions, path).to.deep.equal(body.suggestions);
        expect(answer.body.error.details.search_id).to.match(UUID);
      }
    }
    expect([...statuses].sort()).to.deep.equal([302, 404]);
  });

  it('looks at the path of the url only', async () => {
    const expected = (await proxy(EXACT)).headers.get('location');
    const elsewhere = [
      `https://evil.example${EXACT}?next=https://evil.example#x`,
      `http://user:password@evil.example:81${EXACT}`,
      `ftp://evil.example${EXACT}`,
    ];
    for (const url of elsewhere) {
      expect((await proxy(url)).headers.get('location'), url).to.equal(expected);
    }
  });

  it("does not redirect to a page that is gone, nor to another project's", async () => {
    const shop = await newShop();
    const ask = (caller: TestProject): Promise<Answer> => caller.call('GET', '/v1/proxy?url=/about/opening-hours.html');
    expect((await ask(shop)).status).to.equal(302);
    expectError(await ask(await sharedService().newProject()), 404);
    await shop.call('DELETE', '/v1/pages/delete', { url: 'https://shop.example/about/opening-hours' });
    const after = await ask(shop);
    expect(after.headers.get('location')).not.to.equal('https://shop.example/about/opening-hours');
  });
});

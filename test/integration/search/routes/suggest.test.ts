import { expect } from 'chai';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const RETURNS = '/help/returns/return-an-item?lang=en';

interface Suggestion {
  url: string;
  title: string;
  score: number;
  metadata?: unknown;
}

describe('POST /v1/suggest', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
    const pages = [
      {
        url: `https://shop.example${RETURNS}`,
        content: 'Send an item back within thirty days. Print the return label, pack the item and hand the parcel in.',
        metadata: { section: 'help' },
      },
      {
        url: 'https://shop.example/about/opening-hours',
        content: 'The shop opens at nine and closes at six, on Saturdays at four.',
        title: 'Opening hours',
      },
      {
        url: 'https://shop.example/catalogue/fountain-pens',
        content: 'Fountain pens with steel and golden nibs, in blue and black.',
        metadata: {},
      },
      {
        url: 'https://shop.example/warehouse/jobs',
        content: 'We are looking for people who pack parcels in our warehouse.',
        title: 'Jobs',
      },
      { url: 'https://shop.example/', content: 'Welcome to the shop for all who write by hand.' },
    ];
    for (const page of pages) await project.upsert(page);
    await project.indexed();
  });

  async function suggest(path: string, rest: object = { options: { searchThreshold: 0 } }): Promise<Suggestion[]> {
    const { status, body } = await project.post('/v1/suggest', { path, ...rest });
    expect(status, path).to.equal(200);
    return body.suggestions as Suggestion[];
  }

  it('names the page of a mistyped path first, with url path, title and metadata', async () => {
    const { status, body } = await project.post('/v1/suggest', { path: '/help/retruns/retrun-an-item.html' });
    expect(status).to.equal(200);
    expect(body).to.have.all.keys('suggestions', 'search_id');
    expect(body.suggestions[0]).to.deep.include({
      url: RETURNS,
      title: 'Return an item',
      metadata: { section: 'help' },
    });
    expect(body.search_id).to.match(UUID);
  });

  it('shows url path, title and score of a page, metadata where there is any, and no more', async () => {
    const all = await suggest('/help', { limit: 100, options: { searchThreshold: 0 } });
    expect(all).to.have.lengthOf(5);
    for (const suggestion of all) {
      expect(suggestion).to.have.all.keys(
        suggestion.url === RETURNS ? ['url', 'title', 'score', 'metadata'] : ['url', 'title', 'score'],
      );
      expect(suggestion.url).to.match(/^\//);
      expect(suggestion.title).to.be.a('string').and.not.equal('');
      expect(suggestion.score).to.be.within(0, 1);
    }
    const titles = Object.fromEntries(all.map(({ url, title }) => [url, title]));
    expect(titles).to.include({
      [RETURNS]: 'Return an item',
      '/about/opening-hours': 'Opening hours',
      '/catalogue/fountain-pens': 'Fountain pens',
      '/warehouse/jobs': 'Jobs',
    });
  });

  it('gives a page whose title is blank one that can be seen', async () => {
    const blank = await sharedService().newProject();
    for (const [at, title] of ['', ' \n'].entries())
      await blank.upsert({
        url: `https://garden.example/roses/old-sort-${at}`,
        title,
        content: `Old roses, sort ${at}.`,
      });
    await blank.indexed();
    const { body } = await blank.post('/v1/suggest', { path: '/roses', options: { searchThreshold: 0 } });
    const titles = (body.suggestions as { title: string }[]).map(({ title }) => title);
    expect(titles.sort()).to.deep.equal(['Old sort 0', 'Old sort 1']);
  });

  it('lists the best first, each page once, 3 by default and `limit` at most', async () => {
    for (const [limit, count] of [
      [undefined, 3],
      [1, 1],
      [2, 2],
      [100, 5],
    ] as const) {
      const suggestions = await suggest('/help/return-item', {
        ...(limit === undefined ? {} : { limit }),
        options: { searchThreshold: 0 },
      });
      expect(suggestions, String(limit)).to.have.lengthOf(count);
      expect(new Set(suggestions.map(({ url }) => url)).size).to.equal(count);
      expect(suggestions.map(({ score }) => score)).to.deep.equal(
        suggestions.map(({ score }) => score).sort((a, b) => b - a),
      );
      expect(suggestions[0]?.url).to.equal(RETURNS);
    }
  });

  it('leaves out what is below searchThreshold, which is 0.7 by default', async () => {
    for (const path of ['/help/return-item', '/opening/hours', '/pens', '/zebra']) {
      const all = await suggest(path, { limit: 100, options: { searchThreshold: 0 } });
      for (const threshold of [0.1, 0.5, 0.7, 0.9, 1]) {
        const suggestions = await suggest(path, { limit: 100, options: { searchThreshold: threshold } });
        expect(suggestions, `${path} from ${threshold}`).to.deep.equal(all.filter(({ score }) => score >= threshold));
      }
      const standard = all.filter(({ score }) => score >= 0.7);
      expect(await suggest(path, { limit: 100 }), path).to.deep.equal(standard);
      expect(await suggest(path, { limit: 100, options: {} }), path).to.deep.equal(standard);
    }
  });

  it('finds the page behind all that a path picks up on its way', async () => {
    const spellings = [
      '/help/returns/return-an-item',
      'help/returns/return-an-item',
      '/HELP/Returns/RETURN-AN-ITEM',
      '/help/returns/returnAnItem',
      '/help/returns/return_an_item.html',
      '/help/returns/return%20an%20item',
      '/help/returns/return%2520an%2520item',
      '/help/returns/return+an+item/index.php',
      'https://old.shop.example/help/returns/return-an-item?a=1#top',
      '//shop.example/help/returns/return-an-item',
      '/en-us/help/returns/return-an-item.aspx',
      '/2021/04/03/return-an-item',
      '/help/return-an-item-1234567',
      '/help/return-an-item-550e8400-e29b-41d4-a716-446655440000',
      '/help//returns/./return-an-item/',
      '/help/returns/return-an-item%',
      '/help\\returns\\return-an-item',
      '/help/returns/return-an-item?page=2',
      '/help/returns/return-an-item;jsessionid=ABC',
      '/help/returns/returnanitem',
      '/help/retruns/retrun-an-itme',
      ' /help/returns/return-an-item ',
      '/help/returns/return-an-item)',
      '/return-an-item',
      '/faq/how-to-return-an-item',
    ];
    for (const path of spellings) expect((await suggest(path))[0]?.url, path).to.equal(RETURNS);
  });

  it("corrects spelling by the project's own words, joined and parted ones too", async () => {
    for (const [path, url] of [
      ['/openning-huors', '/about/opening-hours'],
      ['/openinghours', '/about/opening-hours'],
      ['/ware-house', '/warehouse/jobs'],
      ['/warehuose', '/warehouse/jobs'],
      ['/fuontain', '/catalogue/fountain-pens'],
      ['/saturdys', '/about/opening-hours'],
    ] as const) {
      expect((await suggest(path))[0]?.url, path).to.equal(url);
    }
  });

  it('answers 200 with no suggestions when nothing searchable is left of the path', async () => {
    const empty = `/ // /index.html /2021/04/03 /12345678 ?utm_source=x #top /%20/ /-/_/. /../..
      /550e8400-e29b-41d4-a716-446655440000 https://shop.example/`.split(/\s+/);
    for (const path of empty) {
      const { status, body } = await project.post('/v1/suggest', { path, options: { searchThreshold: 0 } });
      expect([status, body.suggestions], path).to.deep.equal([200, []]);
      expect(body.search_id, path).to.match(UUID);
    }
  });

  it('finds the page of a version where a path is nothing else, and none of another version', async () => {
    const docs = await sharedService().newProject();
    for (const version of ['1.1.10', '1.1.11', '2.1.11'])
      await docs.upsert({
        url: `https://docs.example/releases/${version}/`,
        title: `Release ${version}`,
        content: `Release ${version} mends what was found since.`,
      });
    await docs.indexed();
    const urls = async (path: string): Promise<string[]> => {
      const { body } = await docs.post('/v1/suggest', { path, options: { searchThreshold: 0.1 } });
      return (body.suggestions as Suggestion[]).map(({ url }) => url);
    };
    expect(await urls('/1.1.11')).to.deep.equal(['/releases/1.1.11/']);
    expect(await urls('/1.1.10.html')).to.deep.equal(['/releases/1.1.10/']);
    expect(await urls('/9.9.9')).to.deep.equal([]);
    expect(await urls('/?p=7')).to.deep.equal([]);
  });

  it('searches the calling project only, and finds nothing in one without pages', async () => {
    const other = await sharedService().newProject();
    const ask = async (): Promise<Suggestion[]> =>
      (await other.post('/v1/suggest', { path: RETURNS, limit: 100, options: { searchThreshold: 0 } })).body
        .suggestions as Suggestion[];
    expect(await ask()).to.deep.equal([]);
    await other.upsert({ url: 'https://else.example/return-an-item', content: 'Return an item.' });
    await other.indexed();
    expect((await ask()).map(({ url }) => url)).to.deep.equal(['/return-an-item']);
    expect(
      (await suggest('/return-an-item', { limit: 100, options: { searchThreshold: 0 } })).map(({ url }) => url),
    ).not.to.include('/return-an-item');
  });
});

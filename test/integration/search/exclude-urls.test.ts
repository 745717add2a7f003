import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';

const URLS = `https://shop.example/pens/blue https://shop.example/pens/blue/ https://shop.example/pens/blue?v=2
  https://blog.example/pens/blue https://shop.example/caf%C3%A9 https://shop.example/ https://shop.example/Pens/Blue
  https://shop.example//evil.example/blue`.split(/\s+/);

describe('options.excludeUrls', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
    for (const [at, url] of URLS.entries()) {
      await project.upsert({ url, content: `Blue pens and coffee, page ${at}.`, metadata: { url } });
    }
    await project.indexed();
  });

  /** The full URLs that are left out of each of the two searches. */
  async function missing(...excludeUrls: string[]): Promise<string[]> {
    const answers: string[][] = [];
    for (const route of ['/v1/suggest', '/v1/semantic-search']) {
      const { status, body, text } = await project.post(route, {
        path: '/pens/blue',
        query: 'blue pens',
        limit: 100,
        options: { searchThreshold: 0, excludeUrls },
      });
      expect(status, text).to.equal(200);
      const shownUrls = (body.suggestions as { metadata: { url: string } }[]).map(({ metadata }) => metadata.url);
      answers.push(URLS.filter((url) => !shownUrls.includes(url)));
    }
    expect(answers[0]).to.deep.equal(answers[1]);
    return answers[0] ?? [];
  }

  it('leaves out nothing when empty', async () => {
    expect(await missing()).to.deep.equal([]);
  });

  it('leaves out the one page of a full URL, however it is spelt', async () => {
    for (const url of URLS) expect(await missing(url), url).to.deep.equal([url]);
    for (const spelling of ['HTTPS://SHOP.EXAMPLE:443/pens/blue#nib', ' https://shop.example/x/../pens/blue ']) {
      expect(await missing(spelling), spelling).to.deep.equal([URLS[0]]);
    }
    expect(await missing('https://shop.example/café')).to.deep.equal([URLS[4]]);
    expect(await missing('https://shop.example')).to.deep.equal([URLS[5]]);
  });

  it('leaves out the pages of a path, as suggestions carry it, on every host', async () => {
    expect(await missing('/pens/blue')).to.deep.equal([URLS[0], URLS[3]]);
    expect(await missing('/pens/blue/')).to.deep.equal([URLS[1]]);
    expect(await missing('/pens/blue?v=2')).to.deep.equal([URLS[2]]);
    expect(await missing('/caf%C3%A9')).to.deep.equal([URLS[4]]);
    expect(await missing('/café')).to.deep.equal([URLS[4]]);
    expect(await missing('/')).to.deep.equal([URLS[5]]);
    expect(await missing('/.//evil.example/blue')).to.deep.equal([URLS[7]]);
  });

  it('is exact: nothing that is only like it goes', async () => {
    expect(
      await missing(
        '/pens',
        '/pens/',
        '/pens/blu',
        '/pens/blue?v=1',
        'https://other.example/pens/blue',
        'http://shop.example/pens/blue',
        '*',
        '/%',
        '/pens/%',
      ),
    ).to.deep.equal([]);
  });

  it('leaves out all that are named', async () => {
    expect(await missing('/pens/blue', 'https://shop.example/', '/nowhere')).to.deep.equal([URLS[0], URLS[3], URLS[5]]);
    expect(await missing(...URLS)).to.deep.equal(URLS);
  });

  it('names no other host in the path of a page that begins with two slashes', async () => {
    for (const [route, input] of [
      ['/v1/suggest', { path: '/evil-example/blue.html' }],
      ['/v1/semantic-search', { query: 'Blue pens and coffee, page 7' }],
    ] as const) {
      const { body } = await project.post(route, { ...input, limit: 100, options: { searchThreshold: 0 } });
      const suggestion = (body.suggestions as { url: string; metadata: { url: string } }[]).find(
        ({ metadata }) => metadata.url === URLS[7],
      );
      expect(suggestion?.url).to.equal('/.//evil.example/blue');
      expect(new URL(suggestion?.url ?? '', 'https://shop.example/missing').href).to.equal(URLS[7]);
    }
  });

  it('says how long an entry may be', async () => {
    for (const entry of ['', `/${'x'.repeat(2_048)}`]) {
      const { body } = await project.post('/v1/suggest', { path: '/pens', options: { excludeUrls: [entry] } });
      expect(body.error.message).to.equal(
        'options.excludeUrls.0 must be a full URL or a path of 1 to 2048 characters.',
      );
    }
  });

  it('fills a small limit with the pages that are left', async () => {
    const ask = async (excludeUrls: string[]): Promise<string[]> =>
      (
        (
          await project.post('/v1/suggest', {
            path: '/pens/blue',
            limit: 1,
            options: { searchThreshold: 0, excludeUrls },
          })
        ).body.suggestions as { metadata: { url: string } }[]
      ).map(({ metadata }) => metadata.url);
    const seen: string[] = [];
    for (let round = 0; round < URLS.length; round++) seen.push(...(await ask(seen)));
    expect(seen).to.have.members(URLS);
    expect(await ask(seen)).to.deep.equal([]);
  });

  it('goes together with filters', async () => {
    const options = { searchThreshold: 0, filters: { url: URLS[0] }, excludeUrls: ['/pens/blue'] };
    expect((await project.post('/v1/suggest', { path: '/pens/blue', options })).body.suggestions).to.deep.equal([]);
  });
});

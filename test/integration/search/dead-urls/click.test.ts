import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../../../support/expect-error.js';
import type { Answer, TestProject } from '../../../support/service.js';
import { sharedService } from '../../../support/shared-service.js';
import { linkedSearches, loggedSearches, storedClicks } from '../../../support/stored-events.js';

const SITE = 'https://shop.example';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const PATH = '/inks-and-nibs-of-pens';

describe('GET /v1/click', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
    await project.upsert({
      url: `${SITE}/catalogue/fountain-pens?a=1&b=2`,
      content: 'Fountain pens with golden nibs.',
    });
    await project.upsert({ url: 'https://help.shop.example/inks', content: 'Inks for pens, in blue and black.' });
    await project.indexed();
  });

  /** The suggestions of a search, and its id. */
  async function search(): Promise<{ id: string; urls: string[] }> {
    const { body } = await project.post('/v1/suggest', { path: PATH, options: { searchThreshold: 0 } });
    const { suggestions, search_id: id } = body as { suggestions: { url: string }[]; search_id: string };
    expect(suggestions).to.have.length(2);
    return { id, urls: suggestions.map(({ url }) => url) };
  }

  async function follow(
    id: string,
    rank: number | string,
    { key = project.key, method = 'GET', ...headers }: Record<string, string> = {},
  ): Promise<{ status: number; location: string | null }> {
    const response = await fetch(`${sharedService().service.url}/v1/click?search_id=${id}&rank=${rank}`, {
      method,
      redirect: 'manual',
      headers: { Authorization: `Bearer ${key}`, 'User-Agent': BROWSER, ...headers },
    });
    await response.arrayBuffer();
    return { status: response.status, location: response.headers.get('location') };
  }

  const call = (query: string): Promise<Answer> => project.call('GET', `/v1/click${query}`);

  const whole = (url: string): string =>
    url === '/inks' ? 'https://help.shop.example/inks' : `${SITE}/catalogue/fountain-pens?a=1&b=2`;

  it('redirects to the page of each rank, on its own host, at once after the search', async () => {
    const { id, urls } = await search();
    expect(await follow(id, 1)).to.deep.equal({ status: 302, location: whole(urls[0] ?? '') });
    expect(await follow(id.toUpperCase(), 2)).to.deep.equal({ status: 302, location: whole(urls[1] ?? '') });
    expect(new Set(urls.map(whole))).to.have.property('size', 2);
  });

  it('leads to the path of a page that was deleted meanwhile', async () => {
    const { id, urls } = await search();
    await project.call('DELETE', '/v1/pages/delete', { url: whole(urls[0] ?? '') });
    expect(await follow(id, 1)).to.deep.equal({ status: 302, location: urls[0] });
  });

  it('counts ten requests for a rank once, as a click that an event reports', async () => {
    const { id, urls } = await search();
    await Promise.all(Array.from({ length: 10 }, () => follow(id, 2)));
    await storedClicks(sharedService().service, project.row.project_id, 1);
    for (let time = 0; time < 3; time++) await follow(id, 2);
    await follow(id, 1);
    const clicks = await storedClicks(sharedService().service, project.row.project_id, 2);
    expect(
      clicks.map(({ search_id, clicked_rank, clicked_url, raw_path }) => [
        search_id,
        clicked_rank,
        clicked_url,
        raw_path,
      ]),
    ).to.deep.equal([
      [id, '2', urls[1], PATH],
      [id, '1', urls[0], PATH],
    ]);
    await linkedSearches(sharedService().service);
    const view =
      'select shown::int, clicked::int from analytics.click_through_positions where project_id = $1 and clicked > 0';
    expect(await project.query(view)).to.deep.equal([{ shown: 1, clicked: 1 }]);
    const learned = 'select clicks::int from pathmend.learned_redirects where project_id = $1';
    expect(await project.query(learned)).to.deep.equal([{ clicks: 1 }, { clicks: 1 }]);
    const events =
      "select stored::int, not_kept::int from pathmend.history_days where project_id = $1 and what = 'events'";
    expect((await project.query<{ stored: number }>(events))[0]?.stored).to.be.within(2, 11);
  });

  it('redirects robots, HEAD and what a browser fetches ahead, and counts none of them', async () => {
    const { id, urls } = await search();
    const uncounted: Record<string, string>[] = [
      { 'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
      { 'User-Agent': 'curl/8.5.0' },
      { 'Sec-Purpose': 'prefetch;prerender' },
      { Purpose: 'prefetch' },
      { method: 'HEAD' },
    ];
    for (const headers of uncounted)
      expect(await follow(id, 1, headers)).to.deep.equal({ status: 302, location: whole(urls[0] ?? '') });
    await follow(id, 2);
    const clicks = await storedClicks(sharedService().service, project.row.project_id, 1);
    expect(clicks.map(({ clicked_rank }) => clicked_rank)).to.deep.equal(['2']);
  });

  it("answers 404 for an unknown search, a rank beyond its pages, and another project's search", async () => {
    const { id } = await search();
    await loggedSearches(sharedService().service, project.row.project_id, 1);
    for (const query of [
      `?search_id=${randomUUID()}&rank=1`,
      `?search_id=${id}&rank=3`,
      `?search_id=${id}&rank=999999999`,
    ])
      expectError(await call(query), 404, undefined, query);
    const other = await sharedService().newProject();
    expect(await follow(id, 1, { key: other.key })).to.deep.equal({ status: 404, location: null });
  });

  it('refuses parameters that are none, by their name, and a key without the scope read', async () => {
    const { id } = await search();
    for (const [query, param] of [
      ['', 'search_id'],
      ['?rank=1', 'search_id'],
      ['?search_id=1&rank=1', 'search_id'],
      [`?search_id=${id}`, 'rank'],
      [`?search_id=${id}&rank=0`, 'rank'],
      [`?search_id=${id}&rank=-1`, 'rank'],
      [`?search_id=${id}&rank=1.5`, 'rank'],
      [`?search_id=${id}&rank=x`, 'rank'],
      [`?search_id=${id}&rank=99999999999`, 'rank'],
      [`?search_id=${id}&search_id=${id}&rank=1`, 'search_id'],
    ] as const)
      expectError(await call(query), 400, param, query);
    const key = await project.newKey({ scopes: ['write'] });
    expect((await follow(id, 1, { key })).status).to.equal(403);
  });

  it('is where the links of the 404 page lead, if the server names a path of its own for it', async () => {
    const pageBy = async (headers: Record<string, string>): Promise<string> =>
      (
        await project.call('GET', `/v1/not-found?url=${PATH}`, undefined, {
          'User-Agent': BROWSER,
          Accept: 'text/html',
          ...headers,
        })
      ).text;
    const html = await pageBy({ 'X-Pathmend-Click': '/.pathmend/click' });
    const [, href = '', id = ''] =
      /<li><a href="(\/\.pathmend\/click\?search_id=([\w-]+)&amp;rank=1)">/.exec(html) ?? [];
    expect(href, html).not.to.equal('');
    const { status, location } = await follow(id, 1);
    expect(status).to.equal(302);
    const plain = await pageBy({});
    expect(plain).to.include(`<li><a href="${(location ?? '').replaceAll('&', '&amp;')}">`);
    for (const path of [
      '//evil.example/a',
      '/\\evil.example',
      'https://evil.example/',
      '/a"><script>',
      '/',
      'click',
      '/a//b',
      '/a?b',
    ])
      expect(await pageBy({ 'X-Pathmend-Click': path }), path).to.equal(plain);
    for (const [accept, link] of [
      ['application/json', '"url":"/'],
      ['text/markdown', '](<https://'],
    ] as const) {
      const text = await pageBy({ 'X-Pathmend-Click': '/.pathmend/click', Accept: accept });
      expect(text).to.include(link).and.not.to.include('/.pathmend');
    }
  });
});

import { expect } from 'chai';
import { createClient, handleNotFound, type Client, type NotFoundOptions } from '#clients/js/index.js';
import { startInPlace } from '../../support/broken-pathmend.js';
import type { Listening } from '../../support/listen.js';
import { until } from '../../support/until.js';

const SITE = 'https://www.site.example';
const SEARCH = '507d2d7f-b6f1-4881-9f89-e3f184df2bc0';

interface Asked {
  path: string;
  body: Record<string, unknown>;
}

/** A server in pathmend's place whose answers the test chooses: what a real one never says, too. */
describe('a missing page, handled', () => {
  const running: Listening[] = [];
  after(() => Promise.all(running.map((server) => server.stop())));

  async function start(
    answer: () => [status: number, body: unknown, headers?: Record<string, string>],
    settings: { pauseMs?: number; timeoutMs?: number } = {},
  ): Promise<{ client: Client; requests: Asked[]; headers: Record<string, unknown>[] }> {
    const requests: Asked[] = [];
    const received: Record<string, unknown>[] = [];
    const server = await startInPlace((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        received.push(request.headers);
        requests.push({ path: request.url ?? '', body: JSON.parse(text) as Record<string, unknown> });
        if (request.url === '/v1/events') {
          response.writeHead(204).end();
          return;
        }
        const [status, body, headers] = answer();
        response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
      });
    });
    running.push(server);
    return {
      client: createClient({ url: server.url, key: 'pm_live_key', timeoutMs: 10_000, ...settings }),
      requests,
      headers: received,
    };
  }

  const suggesting = (...suggestions: [url: string, score: number, title?: string][]): (() => [number, unknown]) => {
    const rows = suggestions.map(([url, score, title = 'A page']) => ({ url, score, title }));
    return () => [200, { suggestions: rows, search_id: SEARCH }];
  };

  const visit = (
    client: Client,
    path: string,
    options: NotFoundOptions<Request> = {},
    init: RequestInit = {},
  ): Promise<Response | undefined> => handleNotFound(new Request(SITE + path, init), { client, ...options });

  const locationOf = async (answer: Promise<Response | undefined>): Promise<string | null | undefined> =>
    (await answer)?.headers.get('location');

  async function linkTo(client: Client, options: NotFoundOptions<Request> = {}): Promise<URL> {
    const answer = await visit(client, '/old', options, { headers: { Accept: 'application/json' } });
    const body = (await answer?.json()) as { suggestions: { click_url: string }[] };
    return new URL(body.suggestions[0]?.click_url ?? '', SITE);
  }

  it('asks for what the options say', async () => {
    const { client, requests } = await start(suggesting());
    await visit(client, '/old?a=1', { limit: 5, threshold: 0.4 });
    expect(requests[0]).to.deep.equal({
      path: '/v1/suggest',
      body: { path: '/old?a=1', limit: 5, options: { searchThreshold: 0.4, excludeUrls: ['/old?a=1'] } },
    });
  });

  it('redirects above the threshold, not at it', async () => {
    const { client } = await start(suggesting(['/new', 0.9]));
    expect(await locationOf(visit(client, '/old'))).to.equal(null);
    expect(await locationOf(visit(client, '/old', { redirectAbove: 0.8 }))).to.equal('/new');
  });

  it('redirects by no guess while the project is in trial', async () => {
    const inTrial = (...suggestions: Parameters<typeof suggesting>) => {
      const [status, body] = suggesting(...suggestions)();
      return start(() => [status, body, { 'X-Pathmend-Trial': 'on' }]);
    };
    const answer = await visit((await inTrial(['/new', 0.98])).client, '/old');
    expect([answer?.status, answer?.headers.get('location')]).to.deep.equal([404, null]);
    expect(await locationOf(visit((await inTrial(['/new', 1])).client, '/old'))).to.equal('/new');
  });

  for (const url of [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example/',
    '/\t/evil.example/',
    '/\n/evil.example/',
    '/.//evil.example/',
    '/a/..//evil.example/',
    '/%2e%2e//evil.example/',
    'javascript:alert(1)',
    ' /new',
    '',
  ])
    it(`neither redirects nor links to ${JSON.stringify(url)}`, async () => {
      const { client } = await start(suggesting([url, 1]));
      expect(await visit(client, '/old')).to.equal(undefined);
      expect(await visit(client, '/old', { redirectAbove: 1 })).to.equal(undefined);
    });

  it('splits no header by a suggested url', async () => {
    const { client } = await start(suggesting(['/new\r\nSet-Cookie: a=b', 1]));
    expect(await locationOf(visit(client, '/old'))).to.equal('/newSet-Cookie:%20a=b');
  });

  for (const url of ['/old', '/old/', '/%6fld', '/./old', '/old?page=2#top'])
    it(`does not redirect from /old?page=2 to ${url}, which is the same page`, async () => {
      const { client } = await start(suggesting([url, 1]));
      expect((await visit(client, '/old?page=2'))?.status).to.equal(404);
    });

  it('ends a loop that the site makes by a redirect of its own', async () => {
    const { client } = await start(suggesting(['/new', 1]));
    const statuses = [];
    for (let time = 0; time < 6; time += 1) statuses.push((await visit(client, '/old'))?.status);
    expect(statuses).to.deep.equal([302, 302, 302, 404, 404, 404]);
    const other = await visit(client, '/old', {}, { headers: { 'User-Agent': 'another visitor' } });
    expect(other?.status).to.equal(302);
  });

  it('writes no markup that a title or url brings', async () => {
    const evil = `"><script>alert('1')</script>`;
    const { client } = await start(suggesting([`/new?${evil}`, 0.5, evil]));
    const html = (await (await visit(client, '/old'))?.text()) ?? '';
    expect(html).to.not.include('<script').and.not.include('"><');
    const { client: other } = await start(suggesting(['/new)](<x>', 0.5, '](https://evil.example)\n# Title `a`']));
    const markdown = await visit(other, '/old', {}, { headers: { Accept: 'text/markdown' } });
    expect(await markdown?.text()).to.include('\n- [\\](https://evil.example) # Title \\`a\\`](</new)](%3Cx%3E>)\n');
  });

  const ruling = (code: number, location?: string) => (): [number, unknown, Record<string, string>] => [
    200,
    { suggestions: [], search_id: SEARCH },
    { 'X-Pathmend-Code': String(code), ...(location === undefined ? {} : { 'X-Pathmend-Location': location }) },
  ];

  it('does what a rule asks for, on any host', async () => {
    for (const [code, location] of [
      [301, '/new#part'],
      [302, '/new'],
      [303, 'https://other.example/a?b=1'],
      [307, `${SITE}/new`],
      [308, 'https://other.example/old'],
    ] as const) {
      const answer = await visit((await start(ruling(code, location))).client, '/old');
      expect([answer?.status, answer?.headers.get('location')]).to.deep.equal([code, location]);
    }
  });

  for (const [code, location] of [
    [200, '/new'],
    [301, undefined],
    [301, '//evil.example/'],
    [301, 'javascript:alert(1)'],
    [301, 'https://user:word@evil.example/'],
    [301, `${SITE}/old/`],
    [999, '/new'],
  ] as const)
    it(`redirects nobody by ${code} ${String(location)}`, async () => {
      const { client } = await start(ruling(code, location));
      expect(await visit(client, '/old')).to.equal(undefined);
    });

  it('says what is gone, with a page of ours or of the site, and tells pathmend', async () => {
    const { client, requests } = await start(ruling(410));
    const answer = await visit(client, '/old');
    expect(answer?.status).to.equal(410);
    expect(await answer?.text())
      .to.include('<h1>This page is gone</h1>')
      .and.not.include('<ul>');
    await client.flush();
    expect(requests.at(-1)?.body['outcome']).to.equal('gone');
    const siteAnswer = await visit(client, '/old', {
      render: (suggestions, { status }) => `${suggestions.length} ${status}`,
    });
    expect([siteAnswer?.status, await siteAnswer?.text()]).to.deep.equal([410, '0 410']);
    const { client: other } = await start(ruling(451));
    expect((await visit(other, '/old', { redirectAbove: 1 }))?.status).to.equal(451);
  });

  it('asks with the host and the user agent of the visitor, and shows assistants Markdown', async () => {
    const { client, headers } = await start(() => [
      200,
      { suggestions: [{ url: '/new', title: 'New', score: 0.5 }], search_id: SEARCH },
      { 'X-Pathmend-Visitor': 'assistant' },
    ]);
    const accepting = { Accept: 'text/html', 'User-Agent': 'ChatGPT-User/1.0' };
    const answer = await visit(client, '/old', {}, { headers: accepting });
    expect(answer?.headers.get('content-type')).to.equal('text/markdown; charset=utf-8');
    expect(headers[0]).to.include({ 'x-original-host': 'www.site.example', 'user-agent': 'ChatGPT-User/1.0' });
    expect((await visit(client, '/old', {}, { headers: { 'User-Agent': 'caf\u00e9' } }))?.status).to.equal(404);
  });

  it('leads a click to its page and tells pathmend which one it was', async () => {
    const { client, requests } = await start(suggesting(['/new?a=1&b=ü', 0.5]));
    const link = await linkTo(client);
    expect(link.pathname).to.equal('/.pathmend/click');
    expect(await locationOf(visit(client, link.pathname + link.search))).to.equal('/new?a=1&b=%C3%BC');
    await client.flush();
    const { timestamp, ...click } = requests.at(-1)?.body ?? {};
    expect(Date.parse(String(timestamp))).to.be.closeTo(Date.now(), 60_000);
    expect(click).to.deep.equal({
      clicked_url: '/new?a=1&b=%C3%BC',
      clicked_rank: 1,
      raw_path: '/old',
      search_id: SEARCH,
      origin: SITE,
    });
  });

  it('follows no click link that it did not sign', async () => {
    const { client, requests } = await start(suggesting(['/new', 0.5]));
    const link = await linkTo(client);
    await client.flush();
    const before = requests.length;
    const forged = [...link.searchParams].map(([name]) => {
      const changed = new URL(link);
      changed.searchParams.set(name, name === 'to' ? '/other' : `${link.searchParams.get(name) ?? ''}0`);
      return changed.search;
    });
    const swapped = new URL(link);
    swapped.searchParams.set('to', 'https://evil.example/');
    const without = new URL(link);
    without.searchParams.delete('sig');
    const cut = link.search.slice(0, -1);
    for (const search of [...forged, swapped.search, without.search, cut, '?sig=', '', `?sig=${'%F0'.repeat(43)}`])
      expect(await visit(client, link.pathname + search), search).to.equal(undefined);
    const { client: stranger } = await start(suggesting());
    const ofStranger = createClient({ url: 'http://127.0.0.1:9', key: 'pm_live_other' });
    expect(await visit(ofStranger, link.pathname + link.search)).to.equal(undefined);
    expect(await locationOf(visit(stranger, link.pathname + link.search)), 'another process of the site').to.equal(
      '/new',
    );
    await client.flush();
    expect(requests.length).to.equal(before);
  });

  it('leads old links to their page, but does not count them; nor HEAD, nor what a browser fetches in advance', async () => {
    const { client, requests } = await start(suggesting(['/new', 0.5]));
    const old = await linkTo(client, { clickTtlMs: -1 });
    const link = await linkTo(client);
    await client.flush();
    const before = requests.length;
    const inAdvance = { headers: { 'Sec-Purpose': 'prefetch;prerender' } };
    for (const [url, init] of [
      [old, {}],
      [link, { method: 'HEAD' }],
      [link, inAdvance],
    ] as const)
      expect(await locationOf(visit(client, url.pathname + url.search, {}, init))).to.equal('/new');
    await client.flush();
    expect(requests.length).to.equal(before);
  });

  it('chooses HTML, JSON or Markdown as HTTP says', async () => {
    const { client } = await start(suggesting(['/new', 0.5]));
    const types = {
      '': 'text/html',
      '*/*': 'text/html',
      'text/html;q=0.5, application/json': 'application/json',
      'text/html;q=0, */*': undefined,
      'application/*': 'application/json',
      'TEXT/MARKDOWN ; Q=1': 'text/markdown',
      'text/html;q=9, text/markdown;q=0.1': 'text/markdown',
      'image/png, */*;q=0.1': 'text/html',
      'image/png': undefined,
      ';;,,q=': undefined,
    };
    for (const [accept, type] of Object.entries(types)) {
      const answer = await visit(client, '/old', {}, { headers: { Accept: accept } });
      expect(answer?.headers.get('content-type')?.replace(/;.*/, ''), accept).to.equal(type);
    }
  });

  it('asks nothing for a path that is longer than pathmend takes, and reports it as a 404', async () => {
    const { client, requests } = await start(suggesting(['/new', 1]));
    expect(await visit(client, `/${'a'.repeat(5_000)}`)).to.equal(undefined);
    await client.flush();
    expect(requests.map(({ path, body }) => [path, String(body['raw_path']).length])).to.deep.equal([
      ['/v1/events', 2_048],
    ]);
  });

  it('costs visitors nothing while pathmend fails, and asks again later', async () => {
    let works = false;
    const { client, requests } = await start(
      () => (works ? suggesting(['/new', 1])() : [500, { error: { code: 'internal_error', message: 'no' } }]),
      { pauseMs: 300 },
    );
    const suggests = (): number => requests.filter(({ path }) => path === '/v1/suggest').length;
    for (let time = 0; time < 20; time += 1) await visit(client, `/old-${time}`);
    expect(suggests()).to.equal(5);
    works = true;
    await until('visitors are redirected again', async () => (await locationOf(visit(client, '/old'))) === '/new');
    await client.flush();
    expect(requests.length - suggests()).to.be.above(20); // no 404 was lost
  });

  it('asks nothing for as long as pathmend says', async () => {
    const { client, requests } = await start(() => [
      429,
      { error: { code: 'rate_limit_exceeded' } },
      { 'Retry-After': '60' },
    ]);
    await visit(client, '/old');
    await visit(client, '/older');
    expect(requests.length).to.equal(1);
  });

  it('asks for no more than 32 visitors at a time, and keeps no more than 1,000 events', async () => {
    let open = 0;
    const holding = await startInPlace((request, response) => {
      if (request.url === '/v1/suggest') open += 1;
      else request.on('end', () => undefined).resume();
      response.on('error', () => undefined);
    });
    running.push(holding);
    const client = createClient({ url: holding.url, key: 'pm_live_key', timeoutMs: 1_000, writeTimeoutMs: 5_000 });
    const lost: string[] = [];
    const answers = Array.from({ length: 1_200 }, (_, index) =>
      visit(client, `/old-${index}`, { onError: ({ message }) => lost.push(message) }),
    );
    expect((await Promise.all(answers)).filter(Boolean)).to.deep.equal([]);
    expect(open).to.equal(32);
    // Beside those that wait, four are being sent when the 32 give up.
    expect(lost.filter((message) => message.startsWith('An event was given up'))).to.have.length(196);
  });

  it('sends the own 404 when the template throws, and survives an onError that does', async () => {
    const { client } = await start(suggesting(['/new', 0.5]));
    const heard: unknown[] = [];
    const broken = (): never => {
      throw new Error('no template');
    };
    const onError = (error: Error): never => {
      heard.push(error.message);
      throw error;
    };
    expect(await visit(client, '/old', { render: broken, onError })).to.equal(undefined);
    expect(heard).to.deep.equal(['no template']);
    expect(await visit(client, '/old', { render: () => undefined })).to.equal(undefined);
  });

  it('has a worker wait for its events', async () => {
    const { client, requests } = await start(suggesting());
    const tasks: Promise<unknown>[] = [];
    await handleNotFound(new Request(`${SITE}/old`), {
      client,
      waitUntil: (task) => tasks.push(task),
      userIp: () => '203.0.113.7',
    });
    await Promise.all(tasks);
    expect(requests.map(({ path, body }) => [path, body['user_ip']])).to.deep.include(['/v1/events', '203.0.113.7']);
  });
});

import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { createHttpClient, ForbiddenAddress, guardNamedHosts } from '#src/sources/web/http-client.js';
import { readWeb } from '#src/sources/web/read-web.js';
import { html, page, readAll, startSite, text, type WebSite } from '../support/web-site.js';

const MB = 1_000_000;

describe('sites that do harm', function () {
  this.timeout(60_000);
  let site: WebSite;
  let other: WebSite;
  let sent = 0;

  before(async () => {
    other = await startSite((_path, response) => {
      html(response, page('Secrets'));
    });
    site = await startSite((path, response) => {
      const url = new URL(path, 'http://site.example');
      const [, kind = '', rest = ''] = /^\/([\w-]+)\/?(.*)$/.exec(url.pathname) ?? [];
      const number = Number(rest || url.searchParams.get('n') || 0);
      if (path === '/robots.txt') text(response, 200, 'User-agent: *\nDisallow: /private/\n');
      else if (kind === 'start') html(response, page('Start', [url.searchParams.get('to') ?? '']));
      else if (kind === 'loop') text(response, 301, '', { location: rest === 'a' ? '/loop/b' : '/loop/a' });
      else if (kind === 'hops') text(response, 302, '', { location: `/hops/${number + 1}` });
      else if (kind === 'outside') text(response, 301, '', { location: `${other.origin}/secrets` });
      else if (kind === 'metadata') text(response, 302, '', { location: 'http://169.254.169.254/latest/meta-data/' });
      else if (kind === 'file') text(response, 302, '', { location: 'file:///etc/passwd' });
      else if (kind === 'to-private') text(response, 302, '', { location: '/private/x' });
      else if (kind === 'calendar') {
        const day = (n: number): string => `/calendar/${2000 + Math.floor(n / 365)}/${n % 365}`;
        const [year = 2000, today = 0] = rest.split('/').map(Number);
        const n = (year - 2000) * 365 + today;
        html(response, page(`Day ${n}`, [day(n + 1), day(n + 365), day(n + 31)]));
      } else if (kind === 'filter') {
        const links = 'abcdefgh'.split('').map((name) => `/filter?${url.search.slice(1)}&${name}=${url.search.length}`);
        html(response, page(`Filter ${url.search}`, links));
      } else if (kind === 'deeper') html(response, page(`Deeper ${path}`, ['down/', 'further/']));
      else if (kind === 'session')
        html(response, page('Visit', [`/session?sid=${randomUUID()}`, '/session;jsessionid=1']));
      else if (kind === 'large') {
        response.writeHead(200, { 'content-type': 'text/html' });
        const chunk = Buffer.alloc(65_536, 'word ');
        const endless = Readable.from(
          (function* () {
            for (sent = 0; sent < 100 * MB; sent += chunk.length) yield chunk;
          })(),
        );
        endless.pipe(response);
        response.on('close', () => endless.destroy());
      } else if (kind === 'declared')
        response.writeHead(200, { 'content-type': 'text/html', 'content-length': '100000000' }).write('x');
      else if (kind === 'bomb')
        response
          .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
          .end(gzipSync(Buffer.alloc(100 * MB)));
      else if (kind === 'broken-gzip')
        response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end('this is no gzip');
      else if (kind === 'cut-off') {
        response.writeHead(200, { 'content-type': 'text/html', 'content-length': '1000' }).write('<p>half');
        response.socket?.end();
      } else if (kind === 'silent') response.socket?.setNoDelay();
      else if (kind === 'drip') {
        response.writeHead(200, { 'content-type': 'text/html' });
        const drip = setInterval(() => response.write('.'), 20);
        response.on('close', () => {
          clearInterval(drip);
        });
      } else if (kind === 'nested') html(response, '<div>'.repeat(MB));
      else if (kind === 'headers') response.writeHead(200, { 'x-long': 'x'.repeat(60_000) }).end();
      else text(response, 404);
    });
  });
  after(() => Promise.all([site.close(), other.close()]));

  async function reasonFor(path: string, limits = {}): Promise<string | undefined> {
    const { refused, pages } = await readAll({ start: `${site.origin}/start?to=${path}`, limits });
    expect(pages).to.deep.equal([`/start?to=${path}`]);
    return refused[0]?.reason;
  }

  it('lead no request to another port, to the metadata of a cloud or to a file', async () => {
    expect(await reasonFor('/outside')).to.equal(`it redirects to ${other.origin}, which may not be requested`);
    expect(await reasonFor('/metadata')).to.equal('it redirects to http://169.254.169.254, which may not be requested');
    expect(await reasonFor('/file')).to.equal('it redirects to what is no web address');
    expect(other.requests).to.deep.equal([]);
  });

  it('lead no request by a redirect to where robots.txt forbids it', async () => {
    const { report } = await readAll({ start: `${site.origin}/start?to=/to-private` });
    expect(report.leftOut).to.deep.equal({ 'robots.txt disallows it': 1 });
    expect(site.requests.map(({ path }) => path)).not.to.include('/private/x');
  });

  it('end their circles and chains of redirects', async () => {
    expect(await reasonFor('/loop/a')).to.equal('it redirects in a circle');
    expect(await reasonFor('/hops/1')).to.equal('it redirects more than 5 times');
  });

  it('are cut off in a page of 100 MB, announced or not, or packed into little', async () => {
    expect(await reasonFor('/large')).to.equal('it is larger than 10 MB');
    // The bytes in the system's own buffers count as sent, too.
    expect(sent).to.be.below(40 * MB);
    expect(await reasonFor('/declared')).to.equal('it is larger than 10 MB');
    expect(await reasonFor('/bomb')).to.equal('it is larger than 10 MB');
  });

  it('are not waited for when they are slow', async () => {
    const slow = { headersMs: 300, totalMs: 600, tries: 1 };
    expect(await reasonFor('/silent', slow)).to.equal('it sent no headers within 0.3 seconds');
    expect(await reasonFor('/drip', slow)).to.equal('it was not there within 0.6 seconds');
  });

  it('are refused where an answer is broken', async () => {
    expect(await reasonFor('/broken-gzip')).to.be.a('string');
    expect(await reasonFor('/cut-off')).to.be.a('string');
    expect(await reasonFor('/headers', { tries: 1 })).to.be.a('string');
    expect(await reasonFor('/nested')).to.equal('its elements are nested more than 512 levels deep');
  });

  it('do not hold a crawl in calendars, filters, endless paths and sessions', async () => {
    const limits = { numberVariants: 40, queryVariants: 20 };
    const calendar = await readAll({ start: `${site.origin}/calendar/2000/1`, limits });
    expect(calendar.pages).to.have.length(41);
    expect(calendar.report.leftOut).to.have.keys('too many urls that differ in numbers');
    const filter = await readAll({ start: `${site.origin}/filter`, limits });
    expect(filter.pages).to.have.length(21);
    const deeper = await readAll({ start: `${site.origin}/deeper/`, limits: { pages: 200 } });
    expect(deeper.report.leftOut).to.include.keys('path repeats itself');
    expect(deeper.pages.length).to.be.below(60);
    const session = await readAll({ start: `${site.origin}/session` });
    expect(session.pages).to.deep.equal(['/session']);
  });

  it('end at the number of pages that one run reads, which says that it is not complete', async () => {
    const { pages, report } = await readAll({ start: `${site.origin}/calendar/2000/1`, limits: { pages: 10 } });
    expect(pages).to.have.length(10);
    expect(report.isComplete).to.equal(false);
    expect(report.leftOut['over the limit of pages']).to.be.above(0);
  });

  it('do not reach a machine inside by a name that begins to point there', () => {
    const guard = guardNamedHosts();
    const forbidden = 'rebind.example leads to an address that is not public';
    const seen = ['8.8.8.8', '127.0.0.1', '8.8.4.4', '::ffff:10.0.0.1', 'fd00::1', '169.254.169.254'].map((address) =>
      guard(new URL('http://rebind.example/'), [address]),
    );
    expect(seen).to.deep.equal([undefined, forbidden, undefined, forbidden, forbidden, forbidden]);
  });

  it('are resolved once for a connection, and the address that was looked at is the one connected to', async () => {
    const names: string[] = [];
    const seen: (readonly string[])[] = [];
    const client = createHttpClient(
      (_url, addresses) => {
        seen.push(addresses);
        return addresses.includes('127.0.0.1') ? undefined : 'not there';
      },
      (name) => {
        names.push(name);
        return Promise.resolve([addressOf(names.length === 1 ? '127.0.0.1' : '127.0.0.2')]);
      },
    );
    const url = new URL(`http://rebind.example:${new URL(site.origin).port}/deeper/`);
    const { status, body } = await client.ask(url, { headers: {}, totalMs: 10_000 });
    body.destroy();
    expect([status, names, seen]).to.deep.equal([200, ['rebind.example'], [['127.0.0.1']]]);
    expect(await rejection(client.ask(url, { headers: {}, totalMs: 10_000 }))).to.be.instanceOf(ForbiddenAddress);
    client.close();
  });

  it('reach a machine inside by a name only when the operator names it, and the metadata of a cloud never', async () => {
    const start = `http://inside.example:${new URL(site.origin).port}/deeper/`;
    const inside = (address: string) =>
      readAll({ start, resolve: () => Promise.resolve([addressOf(address)]), limits: { pages: 1 } });
    expect((await inside('127.0.0.1')).pages).to.deep.equal(['/deeper/']);
    const error = await rejection(inside('169.254.169.254'));
    expect(String(error)).to.contain('inside.example leads to an address that is not public');
    for (const literal of ['169.254.169.254', '[::ffff:a9fe:a9fe]', '[fe80::1]'])
      expect(String(await rejection(readAll({ start: `http://${literal}/latest/` })))).to.contain('is never requested');
  });

  it('that fail again and again end the run', async () => {
    const failing = await startSite((path, response) => {
      if (path === '/robots.txt') text(response, 404);
      else if (path === '/')
        html(
          response,
          page(
            'Home',
            Array.from({ length: 50 }, (_, i) => `/${'a'.repeat(i + 1)}`),
          ),
        );
      else text(response, 503);
    });
    const error = await rejection(readAll({ start: failing.origin, limits: { tries: 2, failuresInARow: 5 } }));
    expect(String(error)).to.contain('5 requests failed one after another, the last because the server answers 503');
    expect(failing.requests).to.have.length(1 + 5 * 2);
    await failing.close();
  });

  it('never seem empty: a start that gives no page is an error that says why', async () => {
    expect(String(await rejection(readAll({ start: `${site.origin}/outside` })))).to.contain(
      `/outside gave no page (${site.origin}/outside: it redirects to ${other.origin}, which may not be requested)`,
    );
    expect(String(await rejection(readAll({ start: `${site.origin}/nowhere` })))).to.contain(
      'gave no page (the server answers 404)',
    );
    expect(String(await rejection(readAll({ start: `${site.origin}/s.xml`, crawl: false })))).to.contain(
      'No sitemap could be read',
    );
  });

  it('stop at once when the caller does', async () => {
    const controller = new AbortController();
    const source = readWeb({
      ...{ start: `${site.origin}/calendar/2000/1`, crawl: true, allow: [], userAgent: 'pathmend/1' },
      ...{ logger: createLogger('error'), signal: controller.signal, limits: { requestsPerSecond: 0.001 } },
    });
    const reading = rejection(
      (async () => {
        for await (const item of source) expect.fail(item.kind);
      })(),
    );
    controller.abort();
    expect(String(await reading)).to.contain('AbortError');
  });
});

function addressOf(address = ''): { address: string; family: number } {
  return { address, family: address.includes(':') ? 6 : 4 };
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('nothing was thrown'),
    (error: unknown) => error,
  );
}

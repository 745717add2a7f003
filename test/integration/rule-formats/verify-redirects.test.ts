import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { createUrlRequester } from '#src/cli/redirects/verify-command.js';
import { verifyRedirect, type Verified } from '#src/rule-formats/verify-redirect.js';

/** The status and Location that the site answers, by path. All other paths are 404. */
const SITE: Record<string, [number, string?]> = {
  '/new': [200],
  '/other': [200],
  '/old': [301, '/new'],
  '/slash': [302, 'https://www.shop.example/new/'],
  '/new/': [200],
  '/chain': [301, '/chain2'],
  '/chain2': [308, 'http://www.shop.example/new?utm_source=x'],
  '/new?utm_source=x': [200],
  '/loop': [301, '/loop2'],
  '/loop2': [301, '/loop'],
  '/wrong': [301, '/other'],
  '/dead': [301, '/nothing'],
  '/away': [301, 'http://169.254.169.254/latest/meta-data'],
  '/file': [301, 'file:///etc/passwd'],
  '/script': [301, 'javascript:alert(1)'],
  '/empty': [301],
  '/gone': [410],
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`/far${at}`, [301, `/far${at + 1}`] as [number, string]]),
  ),
};

describe('a live site, asked for old urls', () => {
  let server: Server;
  let site: URL;
  const requestedPaths: string[] = [];

  before(async () => {
    server = createServer((request, response) => {
      requestedPaths.push(request.url ?? '');
      if (request.url === '/cut') {
        request.socket.destroy();
        return;
      }
      const [status, location] = SITE[request.url ?? ''] ?? [404];
      response.writeHead(status, location === undefined ? {} : { Location: location }).end('x'.repeat(100_000));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    site = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });

  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const verify = (path: string): Promise<Verified> =>
    verifyRedirect(createUrlRequester(), site, new Set(['www.shop.example']), {
      path,
      url: 'https://www.shop.example/new',
    });

  for (const [path, hops] of [
    ['/old', 1],
    ['/slash', 1],
    ['/chain', 2],
    ['/new', 0],
  ] as const) {
    it(`ends on its page from ${path} after ${hops} hops`, async () => {
      const verified = await verify(path);
      expect(verified).to.include({ ok: true, status: 200 });
      expect(verified.hops).to.have.length(hops);
      expect(verified.final).to.match(/^http:\/\/127\.0\.0\.1:\d+\/new\b/);
      expect([verified.chain, verified.loop]).to.deep.equal([hops > 1, false]);
    });
  }

  for (const [path, problem] of [
    ['/loop', /^a loop: .*\/loop again$/],
    ['/far0', /^more than 10 hops$/],
    ['/wrong', /^ends on .*\/other$/],
    ['/dead', /\/nothing is 404$/],
    ['/nowhere', /^is 404$/],
    ['/away', /^leads to another host: http:\/\/169\.254/],
    ['/file', /^redirects to no http/],
    ['/script', /^redirects to no http/],
    ['/empty', /^is 301$/],
    ['/cut', /^no answer from/],
  ] as const) {
    it(`says what is wrong with ${path}`, async () => {
      const verified = await verify(path);
      expect(verified.ok).to.equal(false);
      expect(verified.problem).to.match(problem);
    });
  }

  it('is right to answer 404 or 410 for what is gone, and nothing else', async () => {
    const gone = (path: string): Promise<Verified> =>
      verifyRedirect(createUrlRequester(), site, new Set(['www.shop.example']), { path, url: null });
    expect(await gone('/nowhere')).to.include({ ok: true, status: 404 });
    expect(await gone('/gone')).to.include({ ok: true, status: 410 });
    for (const path of ['/new', '/old', '/empty']) {
      const verified = await gone(path);
      expect(verified.ok, path).to.equal(false);
      expect(verified.problem).to.match(/^is gone for good, and the site answers (?:200|301)/);
    }
  });

  it('asks nothing where clouds keep their secrets', async () => {
    const { ok, status, problem } = await verifyRedirect(
      createUrlRequester(),
      new URL('http://169.254.169.254'),
      new Set(),
      { path: '/latest/meta-data', url: null },
    );
    expect([ok, status]).to.deep.equal([false, null]);
    expect(problem).to.match(
      /^no answer from .*: 169\.254\.169\.254 is a link-local address, which is never requested$/,
    );
  });

  it('asks for an old path as a browser does', async () => {
    requestedPaths.length = 0;
    await verify('/a b"ü\n?q=x y');
    expect(requestedPaths).to.deep.equal(['/a%20b%22%C3%BC%0A?q=x%20y']);
  });
});

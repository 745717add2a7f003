import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import diagnostics from 'node:diagnostics_channel';
import { expect } from 'chai';
import { parsePageUrl } from '#src/text/page-url.js';
import { sendRaw } from '../../scripts/faults/fuzz/send.js';
import { sharedService } from '../support/shared-service.js';
import type { TestProject } from '../support/service.js';

/** Urls of pages that the WHATWG's parser takes, each with what headers and browsers may trip over. */
const ODD_PAGES = [
  'https://odd.example/line%0d%0aSet-Cookie:%20a=b',
  'https://odd.example/half%',
  'https://odd.example/half%zz%4',
  'https://odd.example/signs|^`{}[]\'"<>',
  'https://odd.example/back\\slash',
  'https://odd.example//double//evil.example/',
  'https://odd.example/tab\tline\nfeed',
  'https://bücher.example/straße',
  'https://odd.example/path;a=b?next=//evil.example/',
  'https://odd.example/?javascript:alert(1)',
  'https://odd.example:8443/port',
  'https://[2001:db8::1]/six',
  'https://odd.example/\u202emoc.live',
  'https://odd.example/emoji/😀',
  'https://odd.example/nul%00byte',
  'https://odd.example/@evil.example',
  'http://127.1/short-address',
];

/** Urls that ask the proxy to lead elsewhere. `§` stands for the path of a page that the proxy finds. */
const LURES = [
  '§',
  'https://evil.example§',
  '//evil.example§',
  '\\\\evil.example§',
  '/\\evil.example§',
  'https:evil.example§',
  'https:/evil.example§',
  'https://odd.example@evil.example§',
  'https://user:password@evil.example§',
  '§\r\nLocation: https://evil.example/',
  '§%0d%0aLocation:%20https://evil.example/',
  '§%250d%250aSet-Cookie:a=b',
  '§\u010d\u010aSet-Cookie: a=b',
  'javascript:alert(1)',
  'javascript://odd.example§%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://evil.example/x',
  '§?url=https://evil.example/',
  '§#https://evil.example/',
  '§/../../evil',
  'https://evil.example/%2e%2e§',
  'http://169.254.169.254§',
  'http://[::ffff:127.0.0.1]§',
  'http://2130706433§',
  'https://evil.example\t§',
  ' \thttps://evil.example§',
  'ht\ntps://evil.example§',
  'HTTPS://EVIL.EXAMPLE§',
  'https://evil。example§',
  'https://xn--evil§',
  `§${'/x'.repeat(1_000)}`,
];

describe('where a url may lead', function () {
  this.timeout(120_000);
  let project: TestProject;
  let pages: Map<string, string>;

  before(async () => {
    project = await sharedService().newProject();
    pages = new Map();
    for (const url of ODD_PAGES) {
      await project.upsert({ url, content: `This page is about ${url}.` });
      const parsed = parsePageUrl(url);
      pages.set(parsed?.href ?? '', parsed?.path ?? '');
    }
    await project.indexed();
  });

  /**
   * Asks the proxy with a request of bytes: an HTTP client of Node's would refuse some answers, and correct some
   * addresses itself.
   */
  async function locationFor(url: string): Promise<{ status: number; location: string | undefined; names: string[] }> {
    const answer = await sendRaw(Number(new URL(sharedService().service.url).port), {
      method: 'GET',
      target: `/v1/proxy?url=${encodeURIComponent(url)}`,
      headers: [['Authorization', `Bearer ${project.key}`]],
      body: Buffer.alloc(0),
      framing: 'none',
    });
    if (!answer) throw new Error('no answer');
    return { status: answer.status, location: answer.headers.get('location'), names: [...answer.headers.keys()] };
  }

  it('to a page by a path that only ends otherwise, exactly as it is stored, whatever signs its url has; never by its own', async () => {
    let redirected = 0;
    for (const [href, path] of pages) {
      expect((await locationFor(path)).location, path).to.not.equal(href);
      const [before = '', query] = path.split('?');
      const { status, location } = await locationFor(`${before}.html${query === undefined ? '' : `?${query}`}`);
      if (status !== 302) continue;
      redirected++;
      expect([...pages.keys()]).to.include(location);
      expect(location, path).to.equal(href);
    }
    expect(redirected).to.be.at.least(8);
  });

  it('nowhere but to indexed pages of the project, and in no header but Location', async () => {
    let redirected = 0;
    for (const lure of LURES) {
      for (const path of ['/port', '/straße', '/half%', '/short-address']) {
        const { status, location, names } = await locationFor(lure.replace('§', path));
        expect(status, lure).to.be.oneOf([302, 400, 404]);
        expect(names, lure).not.to.include('set-cookie');
        if (status === 302) expect([...pages.keys()], lure).to.include(location);
        else expect(location, lure).to.equal(undefined);
        if (status === 302) redirected++;
      }
    }
    expect(redirected).to.be.at.least(LURES.length / 2);
  });

  it('never from a page that is no absolute http(s) url', async () => {
    const otherUrls = LURES.filter((lure) => !lure.includes('§')).concat(
      '//evil.example/x',
      '/x',
      'https:///x',
      'https://',
      'ftp://odd.example/',
      'https://a:b@odd.example/',
      'http:odd.example',
      'https://odd example/',
    );
    for (const url of otherUrls) {
      const { status, body } = await project.call('POST', '/v1/pages/upsert', { url, content: 'x' });
      // "https:///x" has a host by the parser's reading: what is stored is what a browser would read.
      if (status === 202) expect(parsePageUrl(url)?.href, url).to.match(/^https?:\/\/[^/@]+\//);
      else expect([status, body.error.param], url).to.deep.equal([400, 'url']);
    }
  });

  it('into headers only what is harmless: no id of a request, no method, no key', async () => {
    for (const requestId of ['a\tb', 'a b', '<script>', 'a'.repeat(65), 'é', '%0d%0aX: y', '']) {
      const { headers } = await project.call('POST', '/v1/suggest', { path: '/port' }, { 'X-Request-Id': requestId });
      expect(headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
    }
    expect(
      (
        await project.call('POST', '/v1/suggest', { path: '/port' }, { 'X-Request-Id': 'from-my.own_Server-1' })
      ).headers.get('x-request-id'),
    ).to.equal('from-my.own_Server-1');
  });

  it('the service itself nowhere: it connects to no address that it is told', async () => {
    const server: Server = createServer((_request, response) => response.end('reached')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    let connections = 0;
    server.on('connection', () => connections++);
    const servicePort = Number(new URL(sharedService().service.url).port);
    const opened: number[] = [];
    const note = (message: unknown): void => {
      const { socket } = message as { socket: Socket };
      socket.once('connect', () => {
        if (socket.remotePort !== servicePort) opened.push(socket.remotePort ?? 0);
      });
    };
    diagnostics.subscribe('net.client.socket', note);
    for (const url of [
      `http://127.0.0.1:${port}/x`,
      `http://localhost:${port}/x`,
      `http://[::ffff:127.0.0.1]:${port}/x`,
      `http://2130706433:${port}/x`,
      `http://127.1:${port}/`,
    ]) {
      await project.upsert({
        url,
        content: `See ${url} and <img src="${url}">.`,
        title: url,
        metadata: { image: url, '@id': url },
      });
      await project.call('GET', `/v1/proxy?url=${encodeURIComponent(url)}`);
      await project.post('/v1/suggest', { path: url, options: { excludeUrls: [url], filters: { image: url } } });
      await project.post('/v1/semantic-search', { query: url });
      await project.post('/v1/retrieve', { query: url });
      await project.post('/v1/events', {
        raw_path: url,
        origin: url,
        referrer: url,
        user_agent: url,
        user_ip: '127.0.0.1',
      });
      await project.post('/v1/events', {
        clicked_url: url,
        clicked_rank: 1,
        raw_path: url,
        search_id: '00000000-0000-4000-8000-000000000000',
        origin: url,
      });
      await project.call(
        'POST',
        '/v1/suggest',
        { path: '/x' },
        { Referer: url, Origin: url, 'X-Forwarded-Host': `127.0.0.1:${port}`, Forwarded: `host=127.0.0.1:${port}` },
      );
    }
    await project.indexed();
    diagnostics.unsubscribe('net.client.socket', note);
    expect(connections).to.equal(0);
    expect(opened).not.to.include(port);
    // This proves that a connection to that server would have been noticed and counted.
    await fetch(`http://127.0.0.1:${port}/`);
    expect(connections).to.equal(1);
    server.closeAllConnections();
    server.close();
  });
});

import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.js';
import type { Answer, TestProject } from '../../support/service.js';

describe('every answer', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
    await project.upsert({ url: 'https://shop.example/help/shipping-times', content: 'Shipping times.' });
    await project.indexed();
  });

  /** One answer of every kind, with what a browser would add. */
  async function answers(headers: Record<string, string>): Promise<[string, Answer][]> {
    const calls: [string, string, unknown?, Record<string, string>?][] = [
      ['POST', '/v1/suggest', { path: '/help/shipping-times' }],
      ['POST', '/v1/semantic-search', { query: 'shipping' }],
      ['POST', '/v1/retrieve', { query: 'shipping' }],
      ['POST', '/v1/pages/upsert', { url: 'https://shop.example/a', content: 'a' }],
      ['DELETE', '/v1/pages/delete', { url: 'https://shop.example/a' }],
      ['POST', '/v1/events', { raw_path: '/a' }],
      ['GET', '/v1/search?query=shipping'],
      ['GET', '/v1/proxy?url=/help/shiping-time'],
      ['GET', '/v1/proxy?url=/qqqq'],
      ['POST', '/v1/suggest', '{'],
      ['POST', '/v1/suggest', {}, { Authorization: 'Bearer x' }],
      ['POST', '/v1/pages/upsert', `{"content": "${'x'.repeat(2_200_000)}"}`],
      ['OPTIONS', '/v1/suggest'],
      ['OPTIONS', '/v1/nothing'],
      ['PUT', '/v1/suggest'],
      ['GET', '/'],
      ['GET', '/healthz'],
      ['GET', '/readyz'],
      ['GET', '/metrics'],
    ];
    const all: [string, Answer][] = [];
    for (const [method, path, body, extraHeaders] of calls) {
      all.push([`${method} ${path}`, await project.call(method, path, body, { ...headers, ...extraHeaders })]);
    }
    expect(new Set(all.map(([, { status }]) => status))).to.deep.equal(
      new Set([200, 202, 204, 302, 404, 400, 401, 413, 405]),
    );
    return all;
  }

  it('has no CORS header and sets no cookie, whatever origin asks', async () => {
    const browser = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST', Cookie: 'session=1' };
    for (const [what, { headers }] of await answers(browser)) {
      const names = [...headers.keys()];
      expect(
        names.filter((name) => name.startsWith('access-control-')),
        what,
      ).to.deep.equal([]);
      expect(names, what).to.not.include.members(['set-cookie']).and.to.not.include.members(['x-powered-by']);
    }
  });

  it("carries the caller's X-Request-Id when it is harmless", async () => {
    for (const [what, { headers }] of await answers({ 'X-Request-Id': 'Trace-42_a.b' })) {
      expect(headers.get('x-request-id'), what).to.equal('Trace-42_a.b');
    }
    expect(
      (await project.call('GET', '/healthz', undefined, { 'X-Request-Id': 'x'.repeat(64) })).headers.get(
        'x-request-id',
      ),
    ).to.equal('x'.repeat(64));
  });

  it('carries an X-Request-Id of its own when the caller sent none or a harmful one', async () => {
    const headerSets: Record<string, string>[] = [
      {},
      ...['', 'x'.repeat(65), 'two words', 'a"b', 'a,b', '<script>', '../etc/passwd', 'a;b', 'ä'].map((id) => ({
        'X-Request-Id': id,
      })),
    ];
    const seen = new Set<string>();
    for (const headers of headerSets) {
      const { headers: answered } = await project.call('GET', '/healthz', undefined, headers);
      const id = answered.get('x-request-id') ?? '';
      expect(id, JSON.stringify(headers)).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      seen.add(id);
    }
    expect(seen.size).to.equal(headerSets.length);
  });
});

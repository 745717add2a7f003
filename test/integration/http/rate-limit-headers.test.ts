import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.js';
import type { Answer } from '../../support/service.js';
import { query } from '../../support/sql.js';

function expectRateHeaders({ status, headers }: Answer, limit: number): void {
  const [most, left, reset] = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));
  expect(most, `X-RateLimit-Limit of a ${status}`).to.equal(String(limit));
  expect(left, `X-RateLimit-Remaining of a ${status}`).to.match(/^\d+$/);
  expect(Number(left)).to.be.at.most(limit);
  expect(reset, `X-RateLimit-Reset of a ${status}`).to.match(/^\d{10}$/);
  expect(Number(reset)).to.be.above(Date.now() / 1_000 - 60);
}

describe('the rate-limit headers', () => {
  it('are on every answer once the key is known: 200, 202, 204, 302, 400, 403, 404, 413 and 429', async () => {
    const project = await sharedService().newProject({
      rates: { read_rate: 0.01, read_burst: 6, write_rate: 0.01, write_burst: 5 },
    });
    const page = {
      url: 'https://shop.example/help/shipping-times',
      content: 'Shipping times and shipping costs of parcels.',
    };
    const calls: [number, string, string, unknown][] = [
      [202, 'POST', '/v1/pages/upsert', page],
      [400, 'POST', '/v1/pages/upsert', {}],
      [413, 'POST', '/v1/pages/upsert', `{"content": "${'x'.repeat(2_200_000)}"}`],
      [404, 'DELETE', '/v1/pages/delete', { url: 'https://shop.example/none' }],
      [200, 'POST', '/v1/suggest', { path: '/help/shipping-times' }],
      [204, 'POST', '/v1/events', { raw_path: '/x' }],
      [400, 'POST', '/v1/events', '{'],
      [404, 'GET', '/v1/proxy?url=/qqqq-zzzz', undefined],
      [302, 'GET', '/v1/proxy?url=/help/shiping-time', undefined],
      [200, 'GET', '/v1/search?query=parcels', undefined],
      [429, 'POST', '/v1/suggest', { path: '/x' }],
    ];
    for (const [status, method, path, body] of calls) {
      const answer = await project.call(method, path, body);
      expect(answer.status, `${method} ${path}: ${answer.text}`).to.equal(status);
      expectRateHeaders(answer, path.startsWith('/v1/pages') ? 5 : 6);
      if (status === 202) await project.indexed();
    }
  });

  it('are on a 403, which takes no token', async () => {
    const test = sharedService();
    const { service } = test;
    const project = await test.newProject({ rates: { read_rate: 0.01, read_burst: 6 } });
    const write = { Authorization: `Bearer ${await project.newKey({ scopes: ['write'] })}` };
    for (let i = 0; i < 3; i++) {
      const answer = await project.call('POST', '/v1/suggest', {}, write);
      expect(answer.status).to.equal(403);
      expectRateHeaders(answer, 6);
      expect(answer.headers.get('x-ratelimit-remaining')).to.equal('6');
    }
    await query(service, `update pathmend.projects set access = 'restricted' where project_id = $1`, [
      project.row.project_id,
    ]);
    const restricted = await project.post('/v1/suggest', {});
    expect(restricted.status).to.equal(403);
    expectRateHeaders(restricted, 6);
    const withoutPlan = await (await test.newProject({ plan: null })).post('/v1/suggest', {});
    expect(withoutPlan.status).to.equal(403);
    expectRateHeaders(withoutPlan, 0);
  });

  it('are on no answer without a known key', async () => {
    const project = await sharedService().newProject();
    for (const [path, headers] of [
      ['/v1/suggest', { Authorization: 'Bearer x' }],
      ['/v1/nothing', {}],
      ['/healthz', {}],
    ] as const) {
      const answer = await project.call(path === '/healthz' ? 'GET' : 'POST', path, undefined, headers);
      expect([...answer.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).to.deep.equal([]);
    }
  });
});

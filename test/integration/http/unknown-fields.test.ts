import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { compileUnknownFields } from '#src/http/unknown-fields.js';
import { expectError } from '../../support/expect-error.js';
import { sharedService } from '../../support/shared-service.js';
import type { Answer, TestProject } from '../../support/service.js';

const readWarning = (answer: Answer): string | null => answer.headers.get('x-pathmend-warning');

describe('a field that nobody reads', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
    await project.upsert({
      url: 'https://site.example/kept/page',
      content: 'A page about kept things.',
      metadata: { category: 'kept' },
    });
    await project.indexed();
  });

  it('is named in a header by every operation, with what was probably meant', async () => {
    const path = '/kept/page';
    const click = { clicked_url: path, clicked_rank: 1, raw_path: path, search_id: randomUUID() };
    const page = { url: 'https://site.example/kept/page', content: 'A page about kept things.' };
    const requests: [string, string, Record<string, unknown> | undefined, string, string | undefined][] = [
      ['POST', '/v1/suggest', { path, filters: { category: 'other' } }, 'filters', 'options.filters'],
      ['POST', '/v1/suggest', { path, searchThreshold: 0.1 }, 'searchThreshold', 'options.searchThreshold'],
      ['POST', '/v1/suggest', { path, options: { limit: 1 } }, 'options.limit', 'limit'],
      ['POST', '/v1/suggest', { path, options: { exclude_urls: [] } }, 'options.exclude_urls', 'options.excludeUrls'],
      ['POST', '/v1/suggest', { path, where: {} }, 'where', undefined],
      ['POST', '/v1/semantic-search', { query: 'kept', option: {} }, 'option', 'options'],
      ['POST', '/v1/retrieve', { query: 'kept', topK: 1 }, 'topK', 'top_k'],
      ['POST', '/v1/retrieve', { query: 'kept', options: { filters: {} } }, 'options.filters', 'filters'],
      ['POST', '/v1/pages/upsert', { ...page, metdata: {} }, 'metdata', 'metadata'],
      ['POST', '/v1/pages/batch', { pages: [{ ...page, metdata: {} }] }, 'pages.metdata', 'pages.metadata'],
      ['POST', '/v1/pages/batch', { pages: [], deletes: [] }, 'deletes', 'delete'],
      ['GET', '/v1/pages?stauts=ERROR', undefined, 'stauts', 'status'],
      ['DELETE', '/v1/pages/delete', { url: 'https://site.example/none', page_id: 'x' }, 'page_id', 'pageId'],
      ['POST', '/v1/events', { raw_path: path, referer: 'https://search.example/' }, 'referer', 'referrer'],
      ['POST', '/v1/events', { ...click, user_agent: 'Mozilla' }, 'user_agent', undefined],
      ['GET', '/v1/search?query=kept&limt=1', undefined, 'limt', 'limit'],
      ['GET', '/v1/proxy?url=/nowhere/at/all&ulr=1', undefined, 'ulr', 'url'],
    ];
    for (const [method, address, body, unknown, meant] of requests) {
      const answer = await project.call(method, address, body);
      expect(readWarning(answer), `${method} ${address}`).to.equal(
        `unknown field \`${unknown}\` is ignored${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`,
      );
    }
  });

  it('changes nothing else: the answer is that of the same request without it', async () => {
    const without = await project.post('/v1/suggest', { path: '/kept/page' });
    const answer = await project.post('/v1/suggest', { path: '/kept/page', filters: { category: 'other' } });
    expect([answer.status, answer.body.suggestions]).to.deep.equal([200, without.body.suggestions]);
    expect(readWarning(without)).to.equal(null);
  });

  it('is not one of these: what the interface knows raises no warning', async () => {
    const path = '/kept/page';
    const options = { excludeUrls: ['/a'], searchThreshold: 0.5, filters: { anything: 'x' }, explain: true };
    const page = { url: 'https://site.example/kept/page', content: 'A page about kept things.', title: null };
    const search_id = randomUUID();
    const click = { clicked_url: path, clicked_rank: 1, raw_path: path, search_id, timestamp: '2026-01-01T00:00:00Z' };
    const notFound = { raw_path: path, referrer: path, user_agent: 'Mozilla', user_ip: '192.0.2.7' };
    for (const [method, address, body] of [
      ['POST', '/v1/suggest', { path, limit: 2, options }],
      ['POST', '/v1/retrieve', { query: 'kept', top_k: 1, filters: { anything: 'x' } }],
      ['POST', '/v1/pages/upsert', { ...page, metadata: { category: 'kept' } }],
      ['POST', '/v1/events', { ...click, origin: 'https://site.example' }],
      ['POST', '/v1/events', { ...notFound, origin: 'https://site.example' }],
      ['GET', '/v1/search?query=kept&limit=1', undefined],
    ] as const) {
      expect(readWarning(await project.call(method, address, body)), `${method} ${address}`).to.equal(null);
    }
  });

  it('is named beside the error of a request that is refused', async () => {
    const answer = await project.post('/v1/suggest', { paht: '/kept/page' });
    expectError(answer, 400, 'path');
    expect(readWarning(answer)).to.equal('unknown field `paht` is ignored; did you mean `path`?');
  });

  it('may have any name: the header stays one line of ASCII and short', async () => {
    const odd = ['a\r\nSet-Cookie: b=c', '`', '日本', '\ud800', '__proto__', 'constructor'];
    const names = [...odd, 'x'.repeat(100_000), 'one', 'more'];
    const body = `{"path": "/kept/page", ${names.map((name) => `${JSON.stringify(name)}: 1`).join(', ')}, "options": {"\\u0000": "\\u0000\\ud800"}}`;
    const answer = await project.call('POST', '/v1/suggest', body);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('set-cookie')).to.equal(null);
    const warning = readWarning(answer) ?? '';
    expect(warning).to.match(/^[ -~]{20,1000}$/);
    expect(warning).to.match(/^unknown field `a\?\?Set-Cookie: b=c` is ignored, unknown field `\?` is ignored, /);
    expect(warning).to.match(/unknown field `__proto__` is ignored, and more$/);
  });

  it('is one of five that are named, however many there are, in lists too', () => {
    const find = compileUnknownFields({
      type: 'object',
      properties: { path: { type: 'string' }, pages: { type: 'array', items: { properties: { url: {} } } } },
    });
    const names = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`field${i}`, i]));
    expect(find({ ...names, path: '/' })).to.match(/^unknown field `field0` is ignored, .*, and more$/);
    expect(find({ pages: [{ url: '/' }, { urll: '/' }] })).to.equal(
      'unknown field `pages.urll` is ignored; did you mean `pages.url`?',
    );
  });
});

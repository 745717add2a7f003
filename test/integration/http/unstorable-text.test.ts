import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../../support/expect-error.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';

const UNSTORABLE = {
  'U+0000': 'a\u0000b',
  'a lone high surrogate': 'a\ud83db',
  'a lone low surrogate': 'a\udc00b',
  'a pair the wrong way round': '\udc00\ud800',
};

const CLICK = { clicked_url: '/here', clicked_rank: 1, raw_path: '/gone', search_id: randomUUID() };

type Build = (text: string) => Record<string, unknown>;
const FIELDS: [string, string, string, Build][] = [
  ['POST', '/v1/suggest', 'path', (text) => ({ path: text })],
  ['POST', '/v1/suggest', 'options.excludeUrls.1', (text) => ({ path: '/a', options: { excludeUrls: ['/a', text] } })],
  ['POST', '/v1/suggest', 'options.filters', (text) => ({ path: '/a', options: { filters: { [text]: 1 } } })],
  ['POST', '/v1/suggest', 'options.filters.a', (text) => ({ path: '/a', options: { filters: { a: text } } })],
  ['POST', '/v1/semantic-search', 'query', (text) => ({ query: text })],
  [
    'POST',
    '/v1/semantic-search',
    'options.excludeUrls.0',
    (text) => ({ query: 'a', options: { excludeUrls: [`https://shop.example/${text}`] } }),
  ],
  ['POST', '/v1/semantic-search', 'options.filters.a', (text) => ({ query: 'a', options: { filters: { a: text } } })],
  ['POST', '/v1/retrieve', 'query', (text) => ({ query: text })],
  ['POST', '/v1/retrieve', 'filters', (text) => ({ query: 'a', filters: { [text]: null } })],
  ['POST', '/v1/retrieve', 'filters.a', (text) => ({ query: 'a', filters: { a: text } })],
  ['POST', '/v1/pages/upsert', 'url', (text) => page({ url: `https://shop.example/${text}` })],
  ['POST', '/v1/pages/upsert', 'content', (text) => page({ content: text })],
  ['POST', '/v1/pages/upsert', 'title', (text) => page({ title: text })],
  ['POST', '/v1/pages/upsert', 'metadata.a', (text) => page({ metadata: { a: text } })],
  ['POST', '/v1/pages/upsert', 'metadata', (text) => page({ metadata: { [text]: 1 } })],
  ['POST', '/v1/pages/upsert', 'metadata.a.b.1', (text) => page({ metadata: { a: { b: ['x', text] } } })],
  ['POST', '/v1/pages/upsert', 'metadata.a.0', (text) => page({ metadata: { a: [{ [text]: [] }] } })],
  ['DELETE', '/v1/pages/delete', 'url', (text) => ({ url: `https://shop.example/${text}` })],
  ['DELETE', '/v1/pages/delete', 'pageId', (text) => ({ pageId: text })],
  ...['raw_path', 'origin', 'referrer', 'user_agent'].map((name): [string, string, string, Build] => [
    'POST',
    '/v1/events',
    name,
    (text) => ({ raw_path: '/x', [name]: text }),
  ]),
  ...['clicked_url', 'raw_path', 'origin'].map((name): [string, string, string, Build] => [
    'POST',
    '/v1/events',
    name,
    (text) => ({ ...CLICK, [name]: text }),
  ]),
];

describe('text that PostgreSQL cannot store', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
  });

  for (const [what, text] of Object.entries(UNSTORABLE)) {
    it(`${what} is a 400 that names the field, in every field and key`, async () => {
      for (const [method, path, param, build] of FIELDS) {
        expectError(await project.call(method, path, build(text)), 400, param, `${path} ${param}`);
      }
    });
  }

  it('in a query string is a 400, too, and broken percent-encoding is no 500', async () => {
    expectError(await project.call('GET', '/v1/search?query=a%00b'), 400, 'query');
    expectError(await project.call('GET', '/v1/proxy?url=/a%00b'), 400, 'url');
    for (const broken of ['%ED%A0%80', '%FF%FE', '%', '%E', '%zz', '+', '%F0%9F%8E']) {
      expect((await project.call('GET', `/v1/search?query=a${broken}`)).status, broken).to.equal(200);
      expectError(await project.call('GET', `/v1/proxy?url=/a${broken}`), 404, undefined, broken);
    }
  });

  it('stays out of the answer that refuses it', async () => {
    for (const text of Object.values(UNSTORABLE)) {
      const answer = await project.post('/v1/pages/upsert', page({ metadata: { [text]: text } }));
      expect(answer.text).not.to.match(/\\u0000|\\ud/i);
    }
  });

  it('is told from text that only looks odd: that is stored and comes back unchanged', async () => {
    const freshProject = await sharedService().newProject();
    const odd = 'ﷺ 👩‍👩‍👧 e\u0301 \u202eabc\u202c \u0001\u001f\u007f \ufeff \ufffe\uffff 𐀀 \\u0000 \r\n\t"';
    const metadata = { [odd]: [odd, { __proto__x: odd }], '': '' };
    await freshProject.upsert({ url: 'https://shop.example/odd', content: odd, title: odd, metadata });
    await freshProject.indexed();
    const { body } = await freshProject.post('/v1/retrieve', { query: 'abc', filters: { '': '' } });
    expect(body.documents).to.have.lengthOf(1);
    expect(body.documents[0]).to.deep.include({ content: odd, title: odd, metadata });
  });
});

function page(fields: Record<string, unknown>): Record<string, unknown> {
  return { url: 'https://shop.example/unstorable', content: 'x', ...fields };
}

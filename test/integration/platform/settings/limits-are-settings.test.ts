import { expect } from 'chai';
import { expectError } from '../../../support/expect-error.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';

const URL = 'https://a.ex/';

describe('every limit is a setting', () => {
  let own: TestService;
  let project: TestProject;

  before(async function () {
    this.timeout(120_000);
    own = await startTestService({
      MAX_BODY_BYTES: '1024',
      MAX_PATH_CHARACTERS: '11',
      MAX_QUERY_CHARACTERS: '12',
      MAX_RESULTS: '4',
      MAX_EXCLUDE_URLS: '2',
      MAX_FILTERS: '1',
      MAX_URL_CHARACTERS: '20',
      MAX_TITLE_CHARACTERS: '5',
      MAX_CONTENT_CHARACTERS: '30',
      MAX_METADATA_BYTES: '16',
      MAX_METADATA_DEPTH: '2',
    });
    project = await own.newProject();
  });

  after(() => own.stop());

  const rows: [string, string, string, unknown, unknown][] = [
    ['MAX_PATH_CHARACTERS', '/v1/suggest', 'path', { path: '/'.padEnd(11, 'a') }, { path: '/'.padEnd(12, 'a') }],
    ['MAX_QUERY_CHARACTERS', '/v1/semantic-search', 'query', { query: 'a'.repeat(12) }, { query: 'a'.repeat(13) }],
    ['MAX_QUERY_CHARACTERS', '/v1/retrieve', 'query', { query: 'a'.repeat(12) }, { query: 'a'.repeat(13) }],
    ['MAX_RESULTS', '/v1/suggest', 'limit', { path: '/a', limit: 4 }, { path: '/a', limit: 5 }],
    ['MAX_RESULTS', '/v1/retrieve', 'top_k', { query: 'a', top_k: 4 }, { query: 'a', top_k: 5 }],
    ['MAX_EXCLUDE_URLS', '/v1/suggest', 'options.excludeUrls', excluding(2), excluding(3)],
    [
      'MAX_FILTERS',
      '/v1/suggest',
      'options.filters',
      { path: '/a', options: { filters: { a: 1 } } },
      { path: '/a', options: { filters: { a: 1, b: 1 } } },
    ],
    [
      'MAX_FILTERS',
      '/v1/retrieve',
      'filters',
      { query: 'a', filters: { a: 1 } },
      { query: 'a', filters: { a: 1, b: 1 } },
    ],
    [
      'MAX_URL_CHARACTERS',
      '/v1/pages/upsert',
      'url',
      { url: URL.padEnd(20, 'u'), content: 'c' },
      { url: URL.padEnd(21, 'u'), content: 'c' },
    ],
    ['MAX_TITLE_CHARACTERS', '/v1/pages/upsert', 'title', page({ title: 'ttttt' }), page({ title: 'tttttt' })],
    [
      'MAX_CONTENT_CHARACTERS',
      '/v1/pages/upsert',
      'content',
      page({ content: 'c'.repeat(30) }),
      page({ content: 'c'.repeat(31) }),
    ],
    [
      'MAX_METADATA_BYTES',
      '/v1/pages/upsert',
      'metadata',
      page({ metadata: { a: 'mmmmmmmm' } }),
      page({ metadata: { a: 'mmmmmmmmm' } }),
    ],
    [
      'MAX_METADATA_DEPTH',
      '/v1/pages/upsert',
      'metadata',
      page({ metadata: { a: [1] } }),
      page({ metadata: { a: [[1]] } }),
    ],
  ];

  for (const [setting, path, param, good, bad] of rows) {
    it(`${setting} bounds ${param} of ${path}`, async () => {
      const { status, text } = await project.post(path, good);
      expect(status, text).to.be.oneOf([200, 202]);
      expectError(await project.post(path, bad), 400, param);
    });
  }

  it('MAX_BODY_BYTES bounds the body', async () => {
    const body = (bytes: number): string => '{"path": "/a"}'.padEnd(bytes, ' ');
    expect((await project.post('/v1/suggest', body(1024))).status).to.equal(200);
    expectError(await project.post('/v1/suggest', body(1025)), 413);
  });
});

function page(fields: Record<string, unknown>): Record<string, unknown> {
  return { url: URL, content: 'c', ...fields };
}

function excluding(count: number): Record<string, unknown> {
  return { path: '/a', options: { excludeUrls: Array.from({ length: count }, (_, at) => `/${at}`) } };
}

import { expect } from 'chai';
import { expectError } from '../../support/expect-error.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';

describe('error answers', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
  });

  it('call a missing field by its name', async () => {
    const missing = [
      ['POST', '/v1/suggest', {}, 'path'],
      ['POST', '/v1/suggest', { query: 'x', limit: 0 }, 'path'],
      ['POST', '/v1/semantic-search', { path: '/x' }, 'query'],
      ['POST', '/v1/retrieve', { top_k: 3 }, 'query'],
      ['POST', '/v1/pages/upsert', { content: 'x' }, 'url'],
      ['POST', '/v1/pages/upsert', { url: 'https://shop.example/' }, 'content'],
      ['GET', '/v1/search', undefined, 'query'],
      ['GET', '/v1/search?limit=2', undefined, 'query'],
      ['GET', '/v1/proxy', undefined, 'url'],
    ] as const;
    for (const [method, path, body, field] of missing) {
      const answer = await project.call(method, path, body);
      expectError(answer, 400, field, `${method} ${path}`);
      expect(answer.body.error.message).to.equal(`Missing required parameter: ${field}`);
    }
  });

  it('ask for url or pageId where delete gets neither', async () => {
    const answer = await project.call('DELETE', '/v1/pages/delete', { page_id: 'x' });
    expectError(answer, 400, 'url');
    expect(answer.body.error.message).to.match(/^Missing required parameter: url.*pageId/);
  });

  it('name a wrong field by its dotted path, and say what would be right', async () => {
    const wrong = [
      ['/v1/suggest', { path: 7 }, 'path', /string/],
      ['/v1/suggest', { path: null }, 'path', /string/],
      ['/v1/suggest', { path: '/x', limit: 0 }, 'limit', /whole number from 1 to 100/],
      ['/v1/suggest', { path: '/x', limit: '3' }, 'limit', /whole number from 1 to 100/],
      ['/v1/suggest', { path: '/x', options: [] }, 'options', /object/],
      ['/v1/suggest', { path: '/x', options: 'fast' }, 'options', /object/],
      [
        '/v1/suggest',
        { path: '/x', options: { searchThreshold: 1.1 } },
        'options.searchThreshold',
        /from 0\.0 to 1\.0/,
      ],
      ['/v1/suggest', { path: '/x', options: { searchThreshold: '0.5' } }, 'options.searchThreshold', /number/],
      ['/v1/suggest', { path: '/x', options: { excludeUrls: '/a' } }, 'options.excludeUrls', /array/],
      ['/v1/suggest', { path: '/x', options: { excludeUrls: ['/a', 7] } }, 'options.excludeUrls.1', /URL or a path/],
      ['/v1/suggest', { path: '/x', options: { excludeUrls: [''] } }, 'options.excludeUrls.0', /URL or a path/],
      ['/v1/suggest', { path: '/x', options: { filters: [] } }, 'options.filters', /object/],
      ['/v1/suggest', { path: '/x', options: { filters: { category: [] } } }, 'options.filters.category', /scalar/],
      [
        '/v1/semantic-search',
        { query: 'x', options: { filters: { category: {} } } },
        'options.filters.category',
        /scalar/,
      ],
      [
        '/v1/semantic-search',
        { query: 'x', options: { filters: { 'a.b/c~d': [1] } } },
        'options.filters.a.b/c~d',
        /scalar/,
      ],
      ['/v1/retrieve', { query: 'x', filters: { category: ['a'] } }, 'filters.category', /scalar/],
      ['/v1/retrieve', { query: 'x', top_k: 2.5 }, 'top_k', /whole number from 1 to 100/],
      ['/v1/pages/upsert', { url: 'shop.example/x', content: 'x' }, 'url', /absolute http\(s\) url/],
      ['/v1/pages/upsert', { url: 'https://shop.example/', content: ['x'] }, 'content', /string/],
      ['/v1/pages/upsert', { url: 'https://shop.example/', content: 'x', title: 7 }, 'title', /string or null/],
      ['/v1/pages/upsert', { url: 'https://shop.example/', content: 'x', metadata: [] }, 'metadata', /object/],
      ['/v1/pages/upsert', { url: 'https://shop.example/', content: 'x', metadata: 'a' }, 'metadata', /object/],
    ] as const;
    for (const [path, body, param, right] of wrong) {
      const answer = await project.post(path, body);
      expectError(answer, 400, param, JSON.stringify(body));
      expect(answer.body.error.message, param).to.match(right).and.include(param);
    }
  });

  it('name a wrong parameter of a query string', async () => {
    for (const limit of ['0', '101', '-1', '1.5', '3x', '', 'NaN', '1e1']) {
      expectError(await project.call('GET', `/v1/search?query=x&limit=${limit}`), 400, 'limit', limit);
    }
    expectError(await project.call('GET', '/v1/search?query=a&query=b'), 400, 'query');
    expectError(await project.call('GET', '/v1/search?query=a&limit=1&limit=2'), 400, 'limit');
    expectError(await project.call('GET', '/v1/search?query='), 400, 'query');
    expectError(await project.call('GET', '/v1/proxy?url=/a&url=/b'), 400, 'url');
    expectError(await project.call('GET', '/v1/proxy?url=%20'), 400, 'url');
    expectError(await project.call('GET', '/v1/proxy?url=http://'), 400, 'url');
  });
});

import { expect } from 'chai';
import { expectError } from '../../support/expect-error.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';

const PAGE = { url: 'https://shop.example/limits', content: 'x' };

describe('limits on what a request may hold', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
  });

  async function takes(path: string, body: unknown): Promise<void> {
    const answer = await project.post(path, body);
    expect(answer.status, answer.text.slice(0, 200)).to.be.oneOf([200, 202]);
  }

  async function refuses(path: string, body: unknown, param: string): Promise<void> {
    expectError(await project.post(path, body), 400, param, JSON.stringify(body).slice(0, 80));
  }

  it('path: 1 to 2,048 characters after trimming', async () => {
    const path = '/v1/suggest';
    for (const good of ['a', '/', '/'.padEnd(2048, 'a'), ` \n${'/'.padEnd(2048, 'a')}\t `, '🎉'.repeat(2048)]) {
      await takes(path, { path: good });
    }
    for (const bad of ['', ' ', '\t\n\u00a0', '/'.padEnd(2049, 'a'), '🎉'.repeat(2049)]) {
      await refuses(path, { path: bad }, 'path');
    }
  });

  it('query: 1 to 2,000 characters after trimming, wherever a query is taken', async () => {
    for (const path of ['/v1/semantic-search', '/v1/retrieve']) {
      for (const good of ['a', '?', 'a'.repeat(2000), ` ${'b '.repeat(1000)} `, '🎉'.repeat(2000)]) {
        await takes(path, { query: good });
      }
      for (const bad of ['', ' \n', 'a'.repeat(2001), '🎉'.repeat(2001)]) await refuses(path, { query: bad }, 'query');
    }
    const get = (query: string) => project.call('GET', `/v1/search?query=${encodeURIComponent(query)}`);
    expect((await get('a'.repeat(2000))).status).to.equal(200);
    expectError(await get('a'.repeat(2001)), 400, 'query');
    expectError(await get(' '), 400, 'query');
  });

  it('limit and top_k: whole numbers from 1 to 100', async () => {
    const fields = [
      ['/v1/suggest', 'limit'],
      ['/v1/semantic-search', 'limit'],
      ['/v1/retrieve', 'top_k'],
    ] as const;
    for (const [path, field] of fields) {
      const body = (value: unknown) => ({ path: '/a', query: 'a', [field]: value });
      for (const good of [1, 100]) await takes(path, body(good));
      for (const bad of [0, 101, -1, 1.5, '3', true, null, [3], {}, 1e308]) await refuses(path, body(bad), field);
      expectError(await project.post(path, `{"path":"/a","query":"a","${field}":1e999}`), 400, field);
    }
    for (const good of [1, 100]) {
      expect((await project.call('GET', `/v1/search?query=a&limit=${good}`)).status).to.equal(200);
    }
    for (const bad of [0, 101]) expectError(await project.call('GET', `/v1/search?query=a&limit=${bad}`), 400, 'limit');
  });

  it('searchThreshold: 0.0 to 1.0', async () => {
    for (const path of ['/v1/suggest', '/v1/semantic-search']) {
      const body = (searchThreshold: unknown) => ({ path: '/a', query: 'a', options: { searchThreshold } });
      for (const good of [0, 0.5, 1]) await takes(path, body(good));
      for (const bad of [-0.01, 1.01, '0.5', null]) await refuses(path, body(bad), 'options.searchThreshold');
    }
  });

  it('excludeUrls: 100 entries', async () => {
    for (const path of ['/v1/suggest', '/v1/semantic-search']) {
      const body = (count: number) => ({
        path: '/a',
        query: 'a',
        options: {
          excludeUrls: Array.from({ length: count }, (_, at) => (at % 2 ? `/p/${at}` : `https://shop.example/${at}`)),
        },
      });
      for (const good of [0, 1, 100]) await takes(path, body(good));
      await refuses(path, body(101), 'options.excludeUrls');
    }
  });

  it('filters: 20 keys, each value a JSON scalar', async () => {
    const filters = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key ${at}`, at]));
    const inOptions = (value: unknown) => ({ path: '/a', query: 'a', options: { filters: value } });
    const onTop = (value: unknown) => ({ query: 'a', filters: value });
    for (const [path, body, param] of [
      ['/v1/suggest', inOptions, 'options.filters'],
      ['/v1/semantic-search', inOptions, 'options.filters'],
      ['/v1/retrieve', onTop, 'filters'],
    ] as const) {
      for (const good of [{}, filters(20), { a: 'x', b: 1.5, c: true, d: false, e: null, '': 0 }]) {
        await takes(path, body(good));
      }
      await refuses(path, body(filters(21)), param);
      for (const bad of [[], ['a'], {}, { a: 1 }]) {
        await refuses(path, body({ fine: 1, category: bad }), `${param}.category`);
      }
    }
  });

  it('url: absolute http(s), 2,048 characters', async () => {
    const long = (length: number): string => 'https://shop.example/'.padEnd(length, 'u');
    const good = [
      long(2048),
      'http://shop.example',
      'HTTPS://SHOP.example/x',
      'https://[::1]:8443/a',
      'https://bücher.example/ü?q=ß',
    ];
    for (const url of good) {
      await takes('/v1/pages/upsert', { ...PAGE, url });
    }
    const bad = [
      ...'| |/help|shop.example/help|//shop.example/help|ftp://shop.example/|mailto:a@shop.example'.split('|'),
      ...'javascript:alert(1)|http://|https:///|https://shop .example/|https://shop.example:99999/'.split('|'),
      ...['data:text/html,x', 'file:///etc/passwd', long(2049)],
    ];
    for (const url of bad) {
      await refuses('/v1/pages/upsert', { ...PAGE, url }, 'url');
      if (url.length < 2048) expectError(await project.call('DELETE', '/v1/pages/delete', { url }), 400, 'url', url);
    }
    const { body } = await project.post('/v1/pages/upsert', { ...PAGE, url: 'https://user:secret@shop.example/help' });
    expect(body.error.message).to.contain('without a user name or password').and.not.contain('secret');
  });

  it('title: 1,000 characters', async () => {
    for (const title of [null, '', 't'.repeat(1000), '🎉'.repeat(1000)]) {
      await takes('/v1/pages/upsert', { ...PAGE, title });
    }
    for (const title of ['t'.repeat(1001), '🎉'.repeat(1001)]) {
      await refuses('/v1/pages/upsert', { ...PAGE, title }, 'title');
    }
  });

  it('content: 1 to 1,000,000 characters', async function () {
    this.timeout(120_000);
    const other = await sharedService().newProject();
    await takes('/v1/pages/upsert', { ...PAGE, content: 'c' });
    for (const content of ['', 'c'.repeat(1_000_001)]) {
      await refuses('/v1/pages/upsert', { ...PAGE, content }, 'content');
    }
    const content = 'nine char '.repeat(100_000);
    await other.upsert({ ...PAGE, content });
    await other.indexed();
    const { body } = await other.post('/v1/retrieve', { query: 'nine char' });
    expect(body.documents[0].content).to.equal(content);
  });

  it('metadata: an object of 64 KiB as JSON', async () => {
    const sized = (bytes: number, letter = 'm') => ({
      a: letter.repeat((bytes - '{"a":""}'.length) / Buffer.byteLength(letter)),
    });
    expect(JSON.stringify(sized(65_536))).to.have.lengthOf(65_536);
    for (const metadata of [null, {}, sized(65_536), sized(65_536, '🎉')]) {
      await takes('/v1/pages/upsert', { ...PAGE, metadata });
    }
    for (const metadata of [sized(65_537), sized(65_540, '🎉'), [], 'a', 7, true]) {
      await refuses('/v1/pages/upsert', { ...PAGE, metadata }, 'metadata');
    }
  });

  it('metadata: 32 levels deep', async () => {
    const levels = (count: number, wrap: (inner: unknown) => unknown): unknown => {
      let value: unknown = 'scalar';
      for (let level = 1; level < count; level++) value = wrap(value);
      return { a: value };
    };
    for (const wrap of [(inner: unknown) => ({ a: inner }), (inner: unknown) => [inner]]) {
      await takes('/v1/pages/upsert', { ...PAGE, metadata: levels(32, wrap) });
      await refuses('/v1/pages/upsert', { ...PAGE, metadata: levels(33, wrap) }, 'metadata');
    }
  });
});

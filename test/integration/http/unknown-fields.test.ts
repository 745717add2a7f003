import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { createFieldWarnings, compileUnknownFields } from '#src/http/unknown-fields.js';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { expectError } from '../../support/expect-error.js';
import { sharedService } from '../../support/shared-service.js';
import type { Answer, TestProject } from '../../support/service.js';

const warningOf = (answer: Answer): string | null => answer.headers.get('x-pathmend-warning');

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
    const requests: [string, string, Record<string, unknown> | undefined, string, string | undefined][] = [
      ['POST', '/v1/suggest', { path, filters: { category: 'other' } }, 'filters', 'options.filters'],
      ['POST', '/v1/suggest', { path, searchThreshold: 0.1 }, 'searchThreshold', 'options.searchThreshold'],
      ['POST', '/v1/suggest', { path, options: { limit: 1 } }, 'options.limit', 'limit'],
      ['POST', '/v1/suggest', { path, options: { exclude_urls: [] } }, 'options.exclude_urls', 'options.excludeUrls'],
      ['POST', '/v1/suggest', { path, options: { threshold: 0.5 } }, 'options.threshold', 'options.searchThreshold'],
      ['POST', '/v1/semantic-search', { query: 'kept', option: {} }, 'option', 'options'],
      ['POST', '/v1/retrieve', { query: 'kept', topK: 1 }, 'topK', 'top_k'],
      ['POST', '/v1/retrieve', { query: 'kept', options: { filters: {} } }, 'options.filters', 'filters'],
      ['POST', '/v1/retrieve', { query: 'kept', similarity_top_k: 1 }, 'similarity_top_k', 'top_k'],
      ['POST', '/v1/retrieve', { query: 'kept', options: { limit: 1 } }, 'options.limit', 'top_k'],
      [
        'POST',
        '/v1/retrieve',
        { query: 'rent', metadata_condition: { team: 'blue' } },
        'metadata_condition',
        'filters',
      ],
      ['POST', '/v1/retrieve', { query: 'rent', where: { team: 'blue' } }, 'where', 'filters'],
      ['POST', '/v1/retrieve', { query: 'rent', limit: 1 }, 'limit', 'top_k'],
      ['POST', '/v1/suggest', { path, top_k: 1 }, 'top_k', 'limit'],
      ['POST', '/v1/suggest', { path, options: { where: {} } }, 'options.where', 'options.filters'],
      ['POST', '/v1/semantic-search', { query: 'kept', min_score: 0.2 }, 'min_score', 'options.searchThreshold'],
      [
        'POST',
        '/v1/pages/upsert',
        { url: 'https://site.example/kept/page', content: 'A page about kept things.', meta: {} },
        'meta',
        'metadata',
      ],
      [
        'POST',
        '/v1/pages/batch',
        { pages: [{ url: 'https://site.example/kept/page', content: 'A page about kept things.', meta: {} }] },
        'pages.meta',
        'pages.metadata',
      ],
      ['POST', '/v1/pages/batch', { pages: [], deletes: [] }, 'deletes', 'delete'],
      ['GET', '/v1/pages?stauts=ERROR', undefined, 'stauts', 'status'],
      ['DELETE', '/v1/pages/delete', { url: 'https://site.example/none', page_id: 'x' }, 'page_id', 'pageId'],
      ['POST', '/v1/events', { raw_path: path, referer: 'https://search.example/' }, 'referer', 'referrer'],
      ['POST', '/v1/events', { ...click, user_agent: 'Mozilla' }, 'user_agent', undefined],
      ['GET', '/v1/search?query=kept&limt=1', undefined, 'limt', 'limit'],
      ['GET', '/v1/proxy?url=/nowhere/at/all&ulr=1', undefined, 'ulr', 'url'],
    ];
    for (const [method, address, body, unknown, meant] of requests) {
      const said = `unknown field \`${unknown}\` is ignored${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`;
      const answer = await project.call(method, address, body);
      if (meant === undefined)
        expect(warningOf(answer), `${method} ${address}`)
          .to.match(new RegExp(`^${said.replaceAll('.', '\\.')}`))
          .and.not.include(`\`${unknown}\`?`);
      else expect(warningOf(answer), `${method} ${address}`).to.equal(said);
    }
    const within = { query: 'kept', search_kwargs: { k: 1, filter: {} } };
    expect(warningOf(await project.call('POST', '/v1/retrieve', within)), 'fields in one that is unknown').to.equal(
      'unknown field `search_kwargs.k` is ignored; did you mean `top_k`?, ' +
        'unknown field `search_kwargs.filter` is ignored; did you mean `filters`?',
    );
  });

  it('changes nothing else: the answer is that of the same request without it', async () => {
    const without = await project.post('/v1/suggest', { path: '/kept/page' });
    const answer = await project.post('/v1/suggest', { path: '/kept/page', filters: { category: 'other' } });
    expect([answer.status, answer.body.suggestions]).to.deep.equal([200, without.body.suggestions]);
    expect(warningOf(without)).to.equal(null);
  });

  it('is not one of these: what the interface knows raises no warning', async () => {
    const path = '/kept/page';
    for (const [method, address, body] of [
      [
        'POST',
        '/v1/suggest',
        {
          path,
          limit: 2,
          options: { excludeUrls: ['/a'], searchThreshold: 0.5, filters: { anything: 'x' }, explain: true },
        },
      ],
      ['POST', '/v1/retrieve', { query: 'kept', top_k: 1, filters: { anything: 'x' } }],
      [
        'POST',
        '/v1/pages/upsert',
        {
          url: 'https://site.example/kept/page',
          content: 'A page about kept things.',
          title: null,
          metadata: { category: 'kept' },
        },
      ],
      [
        'POST',
        '/v1/events',
        {
          clicked_url: path,
          clicked_rank: 1,
          raw_path: path,
          search_id: randomUUID(),
          origin: 'https://site.example',
          timestamp: '2026-01-01T00:00:00Z',
        },
      ],
      [
        'POST',
        '/v1/events',
        { raw_path: path, origin: 'https://site.example', referrer: path, user_agent: 'Mozilla', user_ip: '192.0.2.7' },
      ],
      ['GET', '/v1/search?query=kept&limit=1', undefined],
    ] as const) {
      expect(warningOf(await project.call(method, address, body)), `${method} ${address}`).to.equal(null);
    }
  });

  it('is named beside the error of a request that is refused', async () => {
    const answer = await project.post('/v1/suggest', { paht: '/kept/page' });
    expectError(answer, 400, 'path');
    expect(warningOf(answer)).to.equal('unknown field `paht` is ignored; did you mean `path`?');
  });

  it('may have any name: the header stays one line of ASCII and short', async () => {
    const names = [
      'a\r\nSet-Cookie: b=c',
      '`',
      '日本',
      '\ud800',
      '__proto__',
      'constructor',
      'x'.repeat(100_000),
      'one',
      'more',
    ];
    const body = `{"path": "/kept/page", ${names.map((name) => `${JSON.stringify(name)}: 1`).join(', ')}, "options": {"\\u0000": 1}}`;
    const answer = await project.call('POST', '/v1/suggest', body);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('set-cookie')).to.equal(null);
    const warning = warningOf(answer) ?? '';
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
    expect(find({ pages: [{ url: '/' }, { uri: '/' }] })).to.equal(
      'unknown field `pages.uri` is ignored; did you mean `pages.url`?',
    );
  });

  it('is logged once an hour for a key and an operation, by its name alone', () => {
    const lines: string[] = [];
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        lines.push(chunk.toString());
        done();
      },
    });
    let now = 0;
    const warn = createFieldWarnings(createLogger('warn', stream), () => now);
    const from = (keyId: string, route: string) => {
      const response = { locals: { context: { requestId: 'r', route } }, setHeader: () => undefined };
      warn(response as never, { keyId, projectId: 'p' } as never, 'unknown field `a` is ignored');
    };
    for (let i = 0; i < 3; i++) from('k1', '/v1/suggest');
    expect(lines).to.have.length(1);
    expect(JSON.parse(lines[0] ?? '')).to.include({
      level: 'warn',
      key_id: 'k1',
      project_id: 'p',
      route: '/v1/suggest',
      warning: 'unknown field `a` is ignored',
    });
    from('k2', '/v1/suggest');
    from('k1', '/v1/retrieve');
    expect(lines).to.have.length(3);
    now += 3_600_000;
    from('k1', '/v1/suggest');
    expect(lines).to.have.length(4);
  });
});

import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { createPageCheck } from '#src/pages/check-page.js';
import { parseJson } from '#src/base/json.js';
import { expectError } from '../support/expect-error.js';
import { sharedService } from '../support/shared-service.js';
import type { TestProject } from '../support/service.js';

const PATHS =
  `/ // . .. ? # % %% %00 %25%30%30 %ff%fe %u0041 \\ \\\\host\\share /../../.. & &amp; ; http: http:// https://a
    javascript:alert(1) __proto__ /constructor/__proto__/toString/hasOwnProperty /null/undefined/NaN \u202e/abc \u200b 🎉
    /👩‍👩‍👧‍👦 /ﷺ /e\u0301\u0301\u0301 /\ufeff/ /文档/入门 /ŉ/ß/ﬀ /İstanbul * /* /%s%s%n {{7*7}} \${x}`.split(/[ \n]+/);

/** A test repeats each of these pieces as often as a path may hold it. */
const PIECES = '% %25 / ../ a a/ - 🎉 ﷺ \u0301 9 .a &x= aB %2e%2e%2f 文'.split(' ').concat(' a');

const KEYS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '$ref', 'a.b', "a'b", 'a"b', '{}', '%'];

describe('no input gives a 500', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
    await project.upsert({
      url: `https://shop.example/help/${'long'.repeat(80)}`,
      content: `help with ${'longword'.repeat(60)} and others`,
    });
    await project.indexed();
  });

  it('whatever path a visitor came by: all are answered', async () => {
    const long = PIECES.map((piece) => `/${piece.repeat(Math.floor(2047 / [...piece].length))}`);
    for (const path of [...PATHS, ...long]) {
      const { status, body, text } = await project.post('/v1/suggest', { path, options: { searchThreshold: 0 } });
      expect(status, `${path.slice(0, 60)}: ${text}`).to.equal(200);
      expect(body.suggestions, path.slice(0, 60)).to.be.an('array');
    }
  });

  it('whatever a query says: all are answered', async () => {
    const queries = '! 🎉 \u200b. " \\ [CLS] % $1 {}'.split(' ').concat('[PAD] [MASK]');
    queries.push(...['x', '文', '\u0301'].map((letter) => letter.repeat(2_000)));
    for (const query of queries) {
      for (const route of ['/v1/semantic-search', '/v1/retrieve']) {
        const { status, body, text } = await project.post(route, { query, options: { searchThreshold: 0 } });
        expect(status, `${query.slice(0, 60)}: ${text}`).to.equal(200);
        for (const { score } of body.suggestions ?? body.documents) {
          expect(score, query.slice(0, 60)).to.be.within(0, 1);
        }
      }
    }
  });

  it('whatever a page says: all are indexed', async () => {
    const hostileProject = await sharedService().newProject();
    const contents = [
      ' ',
      '\n\n\n',
      '.',
      '\u0001',
      '\ufeff',
      '🎉',
      'x'.repeat(100_000),
      '文'.repeat(50_000),
      '\u0301'.repeat(50_000),
      '# '.repeat(20_000),
      '\n'.repeat(100_000),
      '[CLS] [SEP] [PAD] [UNK]',
      '<script>alert(1)</script>',
      '\\\\\\"\'',
      'ﷺ'.repeat(20_000),
      `${'a\u0301'.repeat(100)} b`,
      '9'.repeat(10_000),
      '```\n'.repeat(5_000),
    ];
    for (const [at, content] of contents.entries())
      await hostileProject.upsert({ url: `https://shop.example/${at}`, content });
    await hostileProject.indexed();
    const { body } = await hostileProject.post('/v1/pages/upsert', { url: 'https://shop.example/0', content: ' ' });
    expect(body.status).to.equal('INDEXED');
    for (const [at, content] of contents.entries()) {
      expect(
        (await hostileProject.upsert({ url: `https://shop.example/${at}`, content })).body.status,
        content.slice(0, 20),
      ).to.equal('INDEXED');
    }
  });

  it('numbers beyond a double are refused by name; those within come back as they were', async () => {
    const upsert = (number: string) =>
      project.post('/v1/pages/upsert', `{"url":"https://shop.example/n","content":"n","metadata":{"n":${number}}}`);
    for (const number of ['1e309', '-1e309', '1e999999']) {
      const { status, body } = await upsert(number);
      expect([status, body.error?.param], number).to.deep.equal([400, 'metadata.n']);
    }
    // The last two are 2^60 and the nanoseconds of a clock as JavaScript writes them, with other digits than the double
    // has.
    for (const number of `1.7976931348623157e308 5e-324 0.1 -0 9007199254740992 18014398509481984 1E2 6.022e23
      0.30000000000000004 1152921504606847000 1764144000123000000`.split(/\s+/)) {
      expect((await upsert(number)).status, number).to.equal(202);
      await project.indexed();
      const { body } = await project.post('/v1/retrieve', `{"query":"n","filters":{"n":${number}}}`);
      expect(body.documents[0].metadata.n, number).to.be.closeTo(Number(number), 0);
    }
  });

  it('whole numbers that would lose digits are refused by name, in metadata and filters, and in a file of pages', async () => {
    const lost = ['9007199254740993', '-9007199254740993', '12345678901234567890', '9'.repeat(300)];
    for (const number of lost) {
      const nested = `{"url":"https://shop.example/n","content":"n","metadata":{"ids":[1, {"erp":${number}}]}}`;
      const answer = await project.post('/v1/pages/upsert', nested);
      expectError(answer, 400, 'metadata.ids.1.erp');
      expect(answer.body.error.message).to.contain('send it as a string');
      expectError(
        await project.post('/v1/suggest', `{"path":"/n","options":{"filters":{"id":${number}}}}`),
        400,
        'options.filters.id',
      );
      expectError(await project.post('/v1/retrieve', `{"query":"n","filters":{"id": ${number}\n}}`), 400, 'filters.id');
    }
    // Such a number does no harm in a text, as a string, or in a field that nobody reads.
    const harmless = `{"url":"https://shop.example/n","content":"see 9007199254740993","metadata":{"id":"9007199254740993"},"unknown":[${lost.join(',')}]}`;
    expect((await project.post('/v1/pages/upsert', harmless)).status).to.equal(202);
    const check = createPageCheck();
    const row = parseJson(
      '{"url":"https://shop.example/n","content":"n","metadata":{"id":9007199254740993}}',
    ) as Record<string, unknown>;
    expect(() => check(row)).to.throw('metadata.id has more digits than a number keeps: send it as a string.');
  });

  it('a threshold too small for a float loses no record of a search', async () => {
    const { db, deps } = sharedService().service;
    const searchIds: string[] = [];
    for (const searchThreshold of [Number.MIN_VALUE, 1e-60, 0]) {
      const { body } = await project.post('/v1/suggest', { path: '/help', options: { searchThreshold } });
      searchIds.push(body.search_id as string);
    }
    await deps.log.flush();
    const { rows } = await sql<{ search_id: string }>`
      select search_id from pathmend.searches where search_id = any (${searchIds}::uuid[])`.execute(db);
    expect(rows.map((row) => row.search_id)).to.have.members(searchIds);
  });

  it('__proto__ and its like are keys as any other, in metadata and in filters', async () => {
    const keysProject = await sharedService().newProject();
    for (const key of KEYS) {
      const quoted = JSON.stringify(key);
      const url = `https://shop.example/${encodeURIComponent(key)}`;
      const { status } = await keysProject.post(
        '/v1/pages/upsert',
        `{"url":"${url}","content":"keys","metadata":{${quoted}:{"a":1},"k":${quoted}}}`,
      );
      expect(status, key).to.equal(202);
      await keysProject.post(
        '/v1/pages/upsert',
        `{"url":"${url}/flat","content":"keys","metadata":{${quoted}:"flat"}}`,
      );
    }
    await keysProject.indexed();
    for (const key of KEYS) {
      const quoted = JSON.stringify(key);
      const whole = await keysProject.post('/v1/retrieve', `{"query":"keys","filters":{"k":${quoted}}}`);
      expect(whole.text, key).to.include(`${quoted}:{"a":1}`);
      const flat = await keysProject.post(
        '/v1/semantic-search',
        `{"query":"keys","options":{"searchThreshold":0,"filters":{${quoted}:"flat"}}}`,
      );
      expect(
        (flat.body.suggestions as { url: string }[]).map(({ url }) => url),
        key,
      ).to.deep.equal([`/${encodeURIComponent(key)}/flat`]);
      expect(flat.text, key).to.include(`"metadata":{${quoted}:"flat"}`);
    }
  });
});

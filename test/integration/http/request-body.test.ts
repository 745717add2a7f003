import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { expectError } from '../../support/expect-error.js';
import { sharedService } from '../../support/shared-service.js';
import type { Answer, TestProject } from '../../support/service.js';

const MOST = 2 * 1024 * 1024;
const GOOD = '{"path": "/help"}';

describe('a request body', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
  });

  const suggest = (body: string | Uint8Array | undefined, headers: Record<string, string> = {}): Promise<Answer> =>
    project.call('POST', '/v1/suggest', body, headers);

  it('is read as JSON whatever its Content-Type says', async () => {
    const types = [
      ...'application/json|text/plain|application/x-www-form-urlencoded|multipart/form-data; boundary=x'.split('|'),
      ...'application/json; charset=utf-16|nonsense||application/octet-stream'.split('|'),
    ];
    for (const type of types) expect((await suggest(GOOD, { 'Content-Type': type })).status, type).to.equal(200);
    const bytes = new TextEncoder().encode(GOOD);
    expect((await suggest(bytes)).status, 'no Content-Type').to.equal(200);
  });

  it('may begin with a byte order mark', async () => {
    expect((await suggest(`\uFEFF${GOOD}`)).status).to.equal(200);
  });

  it('that is no JSON object is a 400 that says so', async () => {
    for (const body of ['[]', '[{"path":"/help"}]', 'null', '7', 'true', '"/help"', '1e999']) {
      const answer = await suggest(body);
      expectError(answer, 400, undefined, body);
      expect(answer.body.error.message, body).to.include('JSON object');
    }
  });

  it('that is empty or broken is a 400', async () => {
    const broken = ['', ' ', '{', '{"path": "/help"', GOOD + GOOD, '{path: "/help"}', '{"path": "\\x"}', '\u0000'];
    for (const body of ['{"path": NaN}', 'path=/help', ...broken])
      expectError(await suggest(body), 400, undefined, body);
    expectError(await suggest(undefined), 400);
    expectError(await project.call('DELETE', '/v1/pages/delete'), 400);
  });

  it('that is not UTF-8 is a 400, not a guess', async () => {
    const around = (...bytes: number[]): Buffer =>
      Buffer.concat([Buffer.from('{"path": "/help'), Buffer.from(bytes), Buffer.from('"}')]);
    for (const bytes of [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe9]]) {
      expectError(await suggest(around(...bytes)), 400, undefined, bytes.join(' '));
    }
    expect((await suggest(around(0xc3, 0xa9))).status).to.equal(200);
    expectError(await suggest(Buffer.from(`\uFEFF${GOOD}`, 'utf16le')), 400);
  });

  it('may be compressed', async () => {
    expect((await suggest(gzipSync(GOOD), { 'Content-Encoding': 'gzip' })).status).to.equal(200);
    expect((await suggest(deflateSync(GOOD), { 'Content-Encoding': 'deflate' })).status).to.equal(200);
    expect((await suggest(brotliCompressSync(GOOD), { 'Content-Encoding': 'br' })).status).to.equal(200);
  });

  it('whose compression is broken, cut off or unknown is a 400', async () => {
    const zipped = gzipSync(GOOD);
    expectError(await suggest(GOOD, { 'Content-Encoding': 'gzip' }), 400);
    expectError(await suggest(zipped.subarray(0, 12), { 'Content-Encoding': 'gzip' }), 400);
    expectError(await suggest(zipped, { 'Content-Encoding': 'deflate' }), 400);
    for (const unknown of ['rot13', '__proto__', 'constructor', 'toString', 'gzip, gzip'])
      expectError(await suggest(zipped, { 'Content-Encoding': unknown }), 400);
    expectError(await suggest(zipped), 400);
  });

  it('of 2 MiB is taken, of one byte more is a 413', async () => {
    const sized = (bytes: number): string => `{"path": "/help", "padding": "${'x'.repeat(bytes - 32)}"}`;
    expect(Buffer.byteLength(sized(MOST))).to.equal(MOST);
    expect((await suggest(sized(MOST))).status).to.equal(200);
    expectError(await suggest(sized(MOST + 1)), 413);
    expectError(await suggest(sized(8 * MOST)), 413);
  });

  it('counts after decompression: a small bomb is a 413', async () => {
    const bomb = gzipSync(`{"path": "${'x'.repeat(64 * MOST)}"}`);
    expect(bomb.length).to.be.below(MOST);
    expectError(await suggest(bomb, { 'Content-Encoding': 'gzip' }), 413);
  });

  it('that is nested deeper than any stack is a 400, or ignored in a field that we do not know', async () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expectError(await suggest('['.repeat(MOST)), 400);
    expectError(await suggest(nested(MOST / 2)), 400);
    expectError(await suggest(`{"path": "/help", "unknown": ${nested(MOST / 2 - 20)}}`), 400);
    const deep = nested(100_000);
    expectError(await suggest(`{"path": ${deep}}`), 400, 'path');
    expectError(await suggest(`{"path": "/help", "options": ${deep}}`), 400, 'options');
    expectError(await suggest(`{"path": "/help", "options": {"filters": {"a": ${deep}}}}`), 400, 'options.filters.a');
    expectError(
      await suggest(`{"path": "/help", "options": {"excludeUrls": [${deep}]}}`),
      400,
      'options.excludeUrls.0',
    );
    const page = `"url": "https://shop.example/", "content": "x"`;
    expectError(await project.post('/v1/pages/upsert', `{${page}, "metadata": {"a": ${deep}}}`), 400, 'metadata');
    expect((await suggest(`{"path": "/help", "unknown": ${deep}}`)).status).to.equal(200);
    expect((await suggest(`{"path": "/help", "options": {"unknown": ${deep}}}`)).status).to.equal(200);
  });
});

import { expect } from 'chai';
import { expectError } from '../../support/expect-error.js';
import { sharedService } from '../../support/shared-service.js';
import type { Answer, TestProject } from '../../support/service.js';
import { moveTime } from './time.js';

const SEARCH = { query: 'anything' };
/** Slow enough that nothing refills while a test runs. */
const SLOW = { read_rate: 0.01, read_burst: 5, write_rate: 0.01, write_burst: 3 };

function read(project: TestProject): Promise<Answer> {
  return project.post('/v1/semantic-search', SEARCH);
}

function write(project: TestProject): Promise<Answer> {
  return project.call('DELETE', '/v1/pages/delete', { url: 'https://shop.example/none' });
}

function admitted(answers: readonly Answer[]): number {
  return answers.filter(({ status }) => status !== 429).length;
}

describe('the rate limit', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject({ rates: SLOW });
  });

  it('lets the burst through, one after the other or at once, then answers 429', async () => {
    for (let left = 4; left >= 0; left--) {
      const answer = await read(project);
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('x-ratelimit-remaining')).to.equal(String(left));
    }
    expectError(await read(project), 429);

    const other = await sharedService().newProject({ rates: SLOW });
    const answers = await Promise.all(Array.from({ length: 20 }, () => read(other)));
    expect(admitted(answers)).to.equal(5);
  });

  it('says in a 429 how full the bucket is, when it is full again, and when to come back', async () => {
    for (let i = 0; i < 5; i++) await read(project);
    const before = Date.now() / 1_000;
    const { headers } = await read(project);
    expect(headers.get('x-ratelimit-limit')).to.equal('5');
    expect(headers.get('x-ratelimit-remaining')).to.equal('0');
    // 5 tokens at 0.01 a second, less what has come since the first request.
    expect(Number(headers.get('x-ratelimit-reset')) - before).to.be.within(440, 502);
    expect(headers.get('x-ratelimit-reset')).to.match(/^\d+$/);
    expect(Number(headers.get('retry-after'))).to.be.within(40, 100);
    expect(headers.get('retry-after')).to.match(/^\d+$/);
  });

  it('says Retry-After of at least 1 where a token comes sooner', async () => {
    const fast = await sharedService().newProject({ rates: { read_rate: 1, read_burst: 1 } });
    const answers = await Promise.all(Array.from({ length: 5 }, () => read(fast)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).to.not.be.empty;
    for (const { headers } of refused) expect(headers.get('retry-after')).to.equal('1');
  });

  it('refills at the sustained rate, up to the burst and no further', async () => {
    for (let i = 0; i < 6; i++) await read(project);
    // 200 seconds at 0.01 a second: two tokens.
    await moveTime(project, 'read', 200);
    expect(admitted([await read(project), await read(project), await read(project)])).to.equal(2);
    await moveTime(project, 'read', 1_000_000);
    expect(admitted(await Promise.all(Array.from({ length: 10 }, () => read(project))))).to.equal(5);
  });

  it('admits a client that waits as long as Retry-After says', async () => {
    for (let i = 0; i < 5; i++) await read(project);
    const { headers } = await read(project);
    await moveTime(project, 'read', Number(headers.get('retry-after')));
    expect((await read(project)).status).to.equal(200);
  });

  it('takes no token for a request that it refuses', async () => {
    for (let i = 0; i < 5; i++) await read(project);
    for (let i = 0; i < 20; i++) expect((await read(project)).status).to.equal(429);
    await moveTime(project, 'read', 100);
    expect((await read(project)).status).to.equal(200);
  });

  it('counts reads and writes apart', async () => {
    for (let i = 0; i < 6; i++) await read(project);
    expect((await read(project)).status).to.equal(429);
    const answer = await write(project);
    expect(answer.status).to.equal(404);
    expect(answer.headers.get('x-ratelimit-limit')).to.equal('3');
    for (let i = 0; i < 2; i++) await write(project);
    expect((await write(project)).status).to.equal(429);
    await moveTime(project, 'read', 100);
    expect((await read(project)).status).to.equal(200);
    expect((await write(project)).status).to.equal(429);
  });

  it('counts suggest, semantic-search, retrieve, events, search, proxy and lists of pages as reads, upsert and delete as writes', async () => {
    const reads: [string, string, unknown][] = [
      ['POST', '/v1/suggest', { path: '/a' }],
      ['POST', '/v1/semantic-search', SEARCH],
      ['POST', '/v1/retrieve', SEARCH],
      ['POST', '/v1/events', { raw_path: '/a' }],
      ['GET', '/v1/search?query=a', undefined],
      ['GET', '/v1/proxy?url=/a', undefined],
      ['GET', '/v1/pages', undefined],
      ['GET', '/v1/pages/0123456789abcdef01234567', undefined],
    ];
    const roomy = await sharedService().newProject({
      rates: { read_rate: 0.001, read_burst: 8, write_rate: 0.001, write_burst: 2 },
    });
    for (const [i, [method, path, body]] of reads.entries()) {
      const { headers } = await roomy.call(method, path, body);
      expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')], path).to.deep.equal([
        '8',
        String(7 - i),
      ]);
    }
    for (const [method, path, body] of reads) expect((await roomy.call(method, path, body)).status, path).to.equal(429);
    const page = { url: 'https://shop.example/a', content: 'A page.' };
    const upsert = await roomy.call('POST', '/v1/pages/upsert', page);
    expect([upsert.status, upsert.headers.get('x-ratelimit-remaining')]).to.deep.equal([202, '1']);
    const remove = await roomy.call('DELETE', '/v1/pages/delete', page);
    expect([remove.status, remove.headers.get('x-ratelimit-remaining')]).to.deep.equal([200, '0']);
    expect((await roomy.call('POST', '/v1/pages/upsert', page)).status).to.equal(429);
  });

  it("is the project's: all its keys share it, and no other project feels it", async () => {
    const second = await project.newKey({ mode: 'test' });
    for (let i = 0; i < 5; i++) await read(project);
    expect(
      (await project.call('POST', '/v1/semantic-search', SEARCH, { Authorization: `Bearer ${second}` })).status,
    ).to.equal(429);
    expect((await read(await sharedService().newProject({ rates: SLOW }))).status).to.equal(200);
  });
});

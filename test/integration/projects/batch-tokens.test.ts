import { expect } from 'chai';
import { expectError } from '../../support/expect-error.js';
import { onServer } from '../../support/database.js';
import { sharedService } from '../../support/shared-service.js';
import { kept } from '../../support/sql.js';
import { send, startTestService, type Answer, type TestProject } from '../../support/service.js';
import { moveTime } from './time.js';

/** Slow enough that nothing refills while a test runs. */
const SLOW = { write_rate: 0.01, write_burst: 20 };
const urlOf = (i: number): string => `https://shop.example/pens/${i}`;
const bodyOf = (count: number) => ({ delete: Array.from({ length: count }, (_, i) => urlOf(i)) });

describe('the rate limit of a batch', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject({ rates: SLOW });
  });

  const batch = (count: number): Promise<Answer> => project.post('/v1/pages/batch', bodyOf(count));
  const single = (): Promise<Answer> => project.call('DELETE', '/v1/pages/delete', { url: urlOf(0) });
  const left = (answer: Answer): string | null => answer.headers.get('x-ratelimit-remaining');

  it('takes a token for each item, and the headers say what is left', async () => {
    const answer = await batch(8);
    expect([answer.status, left(answer), answer.headers.get('x-ratelimit-limit')]).to.deep.equal([200, '12', '20']);
    // 8 tokens at 0.01 a second.
    expect(Number(answer.headers.get('x-ratelimit-reset')) - Date.now() / 1_000).to.be.within(780, 802);
    expect(left(await batch(1))).to.equal('11');
    expect(left(await batch(0))).to.equal('10');
    expect(left(await project.post('/v1/pages/batch', { pages: [5, null, 'x'] }))).to.equal('7');
    expect(left(await single())).to.equal('6');
    expect(left(await batch(6))).to.equal('0');
    expectError(await single(), 429);
    expectError(await batch(1), 429);
  });

  it('refuses more than the bucket holds now, does none of it, and takes no token', async () => {
    await batch(14);
    await project.upsert({ url: urlOf(0), content: 'A pen.' });
    const askedAt = performance.now();
    const refused = await batch(6);
    expectError(refused, 429);
    // The bucket takes back what was out for a moment only.
    expect(left(refused)).to.be.oneOf(performance.now() - askedAt < 60 ? ['5'] : ['4', '5']);
    // Tokens that are missing, at 0.01 a second.
    const missing = 6 - Number(left(refused));
    expect(Number(refused.headers.get('retry-after'))).to.be.within(100 * missing - 20, 100 * missing);
    await moveTime(project, 'write', Number(refused.headers.get('retry-after')));
    const answer = await batch(6);
    expect([answer.status, left(answer), answer.body.results[0].action]).to.deep.equal([200, '0', 'deleted']);
  });

  it('leaves what it did not get to smaller ones', async () => {
    await batch(12);
    const refused = await batch(9);
    expectError(refused, 429);
    expect([(await batch(Number(left(refused)))).status, (await single()).status]).to.deep.equal([200, 429]);
  });

  it('takes a token of a flood of refused ones: their bodies are read', async () => {
    await batch(15);
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push((await batch(10)).status);
    expect(statuses.every((status) => status === 429)).to.equal(true);
    expect((await single()).status).to.equal(429);
  });

  it('answers 413 to more than the bucket can ever hold, whatever is in it', async () => {
    for (const answer of [await batch(21), await batch(1_000)]) {
      expectError(answer, 413);
      expect(answer.body.error.message).to.contain('at most 20');
    }
    expect((await batch(18)).status).to.equal(200);
    expectError(await project.post('/v1/pages/batch', bodyOf(21)), 429);
  });

  it('is one with that of single writes, however many come at once', async () => {
    const rates = { write_rate: 0.01, write_burst: 100 };
    for (const sizes of [Array<number>(12).fill(30), [60, 1, 1, 60, 1, 60, 39, 1, 1, 20, 1]]) {
      const freshProject = await sharedService().newProject({ rates });
      const answers = await Promise.all(
        sizes.map((size) =>
          size === 1
            ? freshProject.call('DELETE', '/v1/pages/delete', { url: urlOf(0) })
            : freshProject.post('/v1/pages/batch', bodyOf(size)),
        ),
      );
      const taken = answers.reduce((sum, { status }, i) => sum + (status === 429 ? 0 : (sizes[i] ?? 0)), 0);
      expect(answers.every(({ status }) => [200, 404, 429].includes(status))).to.equal(true);
      expect(taken).to.be.within(50, 100);
    }
  });

  it('finds the tokens that this process holds for single writes', async () => {
    const freshProject = await sharedService().newProject({ rates: { write_rate: 0.01, write_burst: 400 } });
    for (let i = 0; i < 40; i++) await freshProject.call('DELETE', '/v1/pages/delete', { url: urlOf(0) });
    // Not all 360: a lease that ended meanwhile has lost some of its own.
    const answer = await freshProject.post('/v1/pages/batch', bodyOf(340));
    expect(answer.status).to.equal(200);
    expect(Number(left(answer))).to.be.within(0, 20);
  });

  it('is one for all instances: never more than burst + rate × time (two instances: on a server only)', async function () {
    if (!onServer()) this.skip();
    this.timeout(120_000);
    const { database, service } = sharedService();
    const second = await startTestService({}, { database: kept(database) });
    try {
      const rates = { write_rate: 100, write_burst: 60 };
      const busy = await sharedService().newProject({ rates });
      const startedAt = performance.now();
      let taken = 0;
      let refused = 0;
      await Promise.all(
        Array.from({ length: 8 }, async (_, n) => {
          const url = [service.url, second.service.url][n % 2] ?? '';
          for (let i = 0; i < 20; i++) {
            const size = 1 + ((7 * n + 11 * i) % 25);
            const { status } = await send(url, 'POST', '/v1/pages/batch', bodyOf(size), {
              Authorization: `Bearer ${busy.key}`,
            });
            if (status === 200) taken += size;
            else refused++;
            expect(status).to.be.oneOf([200, 429]);
          }
        }),
      );
      const seconds = (performance.now() - startedAt) / 1_000;
      expect(taken)
        .to.be.at.most(rates.write_burst + rates.write_rate * seconds)
        .and.at.least(rates.write_burst / 2);
      expect(refused, 'some are refused').to.be.above(0);
    } finally {
      await second.stop();
    }
  });
});

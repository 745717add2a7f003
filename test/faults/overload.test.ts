import { expect } from 'chai';
import { mintKey } from '#src/projects/api-key.js';
import { wrapEmbedder } from '../support/wrap-embedder.js';
import { Gate } from '../support/gated-embedder.js';
import { send, startTestService, type Answer, type TestProject, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

/** With a pool of 3, one search is in work at once; see src/platform/limits/bulkheads.ts. */
const SETTINGS = { DATABASE_POOL: '3', MAX_BYTES_IN_HAND: '1048576' };
const MAX_IN_BURST = 256;

describe('what is too much at once', function () {
  this.timeout(120_000);
  const gate = new Gate();
  let test: TestService;
  let project: TestProject;

  before(async () => {
    test = await startTestService(SETTINGS, {
      wrapEmbedder: (real) =>
        wrapEmbedder(real, {
          embedQuery: async (fingerprint, text, options) => {
            await gate.pass();
            return real.embedQuery(fingerprint, text, options);
          },
        }),
    });
    project = await test.newProject();
    await project.upsert({ url: 'https://shop.example/help/shipping-times', content: 'Parcels take three days.' });
    await project.indexed();
  });

  after(() => test.stop());
  afterEach(() => {
    gate.open();
  });

  const ask = (query: string): Promise<Answer> => project.post('/v1/semantic-search', { query });
  const searches = () => test.service.deps.bulkheads.searches.stats();

  /** Searches of which one is in work and all others wait. */
  async function fill(name: string): Promise<Promise<Answer>[]> {
    gate.close();
    const pendingSearches = Array.from({ length: MAX_IN_BURST + 1 }, (_, i) => ask(`${name} ${i}`));
    await until('nobody more may wait', () => searches().waiting === MAX_IN_BURST || searches().refused > 0);
    return pendingSearches;
  }

  it('is refused with a 503 and Retry-After, before anything is done for it; what waits is served or refused in time', async () => {
    const pendingSearches = await fill('one');
    const answer = await ask('one too many');
    expect(answer.status).to.equal(503);
    expect(answer.body.error.code).to.equal('overloaded');
    expect(Number(answer.headers.get('retry-after'))).to.be.at.least(1);
    expect(answer.headers.get('x-request-id')).to.be.a('string');
    gate.open();
    const statuses = (await Promise.all(pendingSearches)).map(({ status }) => status);
    expect(new Set(statuses)).to.satisfy((all: Set<number>) =>
      [...all].every((status) => status === 200 || status === 503),
    );
    expect(statuses).to.include(200);
    await until('nothing is in hand', () => searches().running === 0 && searches().waiting === 0);
    expect((await ask('afterwards')).status).to.equal(200);
  });

  it('does not come before what the contract checks: 405, 401, 400 are said as ever', async () => {
    const pendingSearches = await fill('two');
    expect((await project.call('PUT', '/v1/suggest')).status).to.equal(405);
    expect((await send(test.service.url, 'POST', '/v1/suggest', { path: '/x' })).status).to.equal(401);
    expect((await project.post('/v1/suggest', {})).status).to.equal(400);
    gate.open();
    await Promise.all(pendingSearches);
  });

  it('keeps nobody from an answer of the cache, from events, upserts, and what operators ask', async () => {
    await ask('asked before');
    const pendingSearches = await fill('three');
    expect((await ask('asked before')).status).to.equal(200);
    expect((await project.post('/v1/events', { raw_path: '/gone' })).status).to.equal(204);
    expect(
      (await project.call('POST', '/v1/pages/upsert', { url: 'https://shop.example/new', content: 'New.' })).status,
    ).to.equal(202);
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await send(test.service.url, 'GET', path)).status, path).to.equal(200);
    gate.open();
    await Promise.all(pendingSearches);
  });

  it('is told to operators: what is in work, what waits, what was refused', async () => {
    gate.close();
    const pendingSearches = [ask('four'), ask('five')];
    await until('one waits', () => searches().waiting === 1);
    const { text } = await send(test.service.url, 'GET', '/metrics');
    expect(text).to.match(/^pathmend_work_running\{kind="searches"\} 1$/m);
    expect(text).to.match(/^pathmend_work_waiting\{kind="searches"\} 1$/m);
    expect(text).to.match(/^pathmend_overload_refusals_total\{kind="searches"\} [1-9]\d*$/m);
    gate.open();
    await Promise.all(pendingSearches);
  });

  it('of keys that nobody knows is asked for a few at a time, and a key that is known is admitted meanwhile', async () => {
    const { admissions } = test.service.deps.bulkheads;
    let most = 0;
    const madeUp = Array.from({ length: 400 }, () =>
      send(test.service.url, 'POST', '/v1/suggest', { path: '/x' }, { Authorization: `Bearer ${mintKey('live')}` }),
    );
    const watching = setInterval(() => {
      most = Math.max(most, admissions.stats().running);
    }, 1);
    const known = await project.post('/v1/events', { raw_path: '/gone' });
    const statuses = (await Promise.all(madeUp)).map(({ status }) => status);
    clearInterval(watching);
    expect(known.status).to.equal(204);
    expect(most).to.be.at.most(1);
    expect(statuses.filter((status) => status !== 401 && status !== 503)).to.deep.equal([]);
    expect(statuses).to.include(401);
  });

  it('in bytes of bodies is refused with a 503 as well, while small ones are read', async () => {
    const held = test.service.deps.bytes.hold('another');
    held.force(1_000_000);
    const large = { url: 'https://shop.example/large', content: 'Large. '.repeat(20_000) };
    const refused = await project.call('POST', '/v1/pages/upsert', large);
    expect(refused.status).to.equal(503);
    expect(Number(refused.headers.get('retry-after'))).to.be.at.least(1);
    expect((await project.post('/v1/events', { raw_path: '/gone' })).status).to.equal(204);
    held.release();
    expect((await project.call('POST', '/v1/pages/upsert', large)).status).to.equal(202);
    await until('nothing is in hand', () => test.service.deps.bytes.stats().held === 0);
  });
});

import { expect } from 'chai';
import { send, type Answer, type TestProject } from '../../support/service.js';
import { expectError } from '../../support/expect-error.js';
import { sharedService } from '../../support/shared-service.js';

const ROUTES = [
  ['POST', '/v1/suggest'],
  ['POST', '/v1/semantic-search'],
  ['POST', '/v1/retrieve'],
  ['POST', '/v1/pages/upsert'],
  ['DELETE', '/v1/pages/delete'],
  ['POST', '/v1/pages/batch'],
  ['POST', '/v1/events'],
  ['GET', '/v1/search'],
  ['GET', '/v1/proxy'],
] as const;
const PATHS_OF_NOTHING = [
  ...['/', '/v1', '/v1/suggests', '/v2/suggest', '/v1/page', '/v1/pages/a/b', '/v1/suggest/more'],
  // No text is encoded so.
  ...['/%', '/v1/pages/%', '/v1/pages/%zz', '/v1/pages/%ff', '/v1/pages/%E0%A4%A', '/v1/%ff/%zz'],
];
const BROKEN = '{"path": ';
const HUGE = `{"path": "${'x'.repeat(2 * 1024 * 1024)}"}`;
/** A bucket that never fills up again while a test runs. */
const ONE_TOKEN = { read_rate: 0.001, read_burst: 1, write_rate: 0.001, write_burst: 1 };

/** What each route says to a request that is wrong in every later way, too. */
function ask(project: TestProject | undefined, method: string, path: string, body: string = BROKEN): Promise<Answer> {
  const sent = method === 'GET' ? undefined : body;
  return project ? project.call(method, path, sent) : send(sharedService().service.url, method, path, sent);
}

describe('the order in which a request is checked', () => {
  it('tells an unknown path first: 404, whatever the method, the key and the body', async () => {
    for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']) {
      for (const path of PATHS_OF_NOTHING) {
        expectError(await ask(undefined, method, path), 404, undefined, `${method} ${path}`);
      }
    }
  });

  it('then the wrong method: 405 with Allow, before the key is looked at', async () => {
    for (const [right, path] of ROUTES) {
      for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'].filter((one) => one !== right)) {
        const answer = await ask(undefined, method, path);
        expectError(answer, 405, undefined, `${method} ${path}`);
        const allowed = answer.headers.get('allow')?.split(', ');
        expect(allowed, path).to.deep.equal(right === 'GET' ? ['GET', 'HEAD'] : [right]);
      }
    }
  });

  it('then the key: 401 before the body', async () => {
    for (const [method, path] of ROUTES) {
      const answer = await ask(undefined, method, path);
      expectError(answer, 401, undefined, `${method} ${path}`);
      expect(answer.headers.get('www-authenticate')).to.equal('Bearer');
    }
  });

  it('then access: 403 before the rate and the body', async () => {
    const withoutPlan = await sharedService().newProject({ plan: null });
    for (const [method, path] of ROUTES) expectError(await ask(withoutPlan, method, path), 403, undefined, path);

    const used = await sharedService().newProject({ rates: ONE_TOKEN });
    const reader = { ...used, key: await used.newKey({ scopes: ['read'] }) };
    await used.call('POST', '/v1/pages/upsert', BROKEN);
    const { url } = sharedService().service;
    expectError(await used.call('POST', '/v1/pages/upsert', BROKEN), 429);
    expectError(await send(url, 'POST', '/v1/pages/upsert', BROKEN, { Authorization: `Bearer ${reader.key}` }), 403);
  });

  it('then the rate: 429 with Retry-After before the body is read', async () => {
    for (const [method, path] of ROUTES) {
      const project = await sharedService().newProject({ rates: ONE_TOKEN });
      expect((await ask(project, method, path)).status, `first ${path}`).to.equal(400);
      for (const body of [BROKEN, HUGE, '']) {
        const answer = await ask(project, method, path, body);
        expectError(answer, 429, undefined, path);
        expect(Number(answer.headers.get('retry-after')), path).to.be.at.least(1);
      }
    }
  });

  it('and the body last: 400, or 413 for one that is too large', async () => {
    const project = await sharedService().newProject();
    for (const [method, path] of ROUTES) {
      const answer = await ask(project, method, path);
      expect([answer.status, answer.body.error.code], path).to.deep.equal([400, 'invalid_request']);
      if (method !== 'GET') expectError(await ask(project, method, path, HUGE), 413, undefined, path);
    }
  });
});

describe('headers of every response', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject({ rates: { read_rate: 0.001, read_burst: 5 } });
  });

  it('X-Request-Id is there whatever the outcome, and differs from request to request', async () => {
    const answers = [
      await ask(undefined, 'POST', '/v1/nowhere'),
      await ask(undefined, 'GET', '/v1/suggest'),
      await ask(undefined, 'POST', '/v1/suggest'),
      await ask(await sharedService().newProject({ plan: null }), 'POST', '/v1/suggest'),
      await ask(project, 'POST', '/v1/suggest'),
      await ask(project, 'POST', '/v1/suggest', HUGE),
      await project.post('/v1/suggest', { path: '/help' }),
      await send(sharedService().service.url, 'GET', '/healthz'),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([404, 405, 401, 403, 400, 413, 200, 200]);
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    for (const id of ids) expect(id).to.match(/^[\w.-]{1,64}$/);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('X-Request-Id takes up a harmless one of the caller, and no other', async () => {
    const id = async (given: string): Promise<string | null> =>
      (await project.call('GET', '/v1/suggest', undefined, { 'X-Request-Id': given })).headers.get('x-request-id');
    expect(await id('caller-7.a_B')).to.equal('caller-7.a_B');
    for (const bad of ['a b', '<script>', 'x'.repeat(65), '"', '{}']) expect(await id(bad)).to.match(/^[0-9a-f-]{36}$/);
  });

  it('X-RateLimit-* tell burst, whole tokens left and the second at which the bucket is full again', async () => {
    const slow = await sharedService().newProject({ rates: { read_rate: 0.01, read_burst: 3 } });
    const askedAt = Date.now() / 1000;
    const left: [number, string | null][] = [];
    for (let request = 0; request < 4; request++) {
      const { status, headers } = await slow.post('/v1/suggest', request === 1 ? {} : { path: '/help' });
      expect(headers.get('x-ratelimit-limit')).to.equal('3');
      left.push([status, headers.get('x-ratelimit-remaining')]);
      // 100 s for each token taken; nothing comes back in the few seconds that this test takes.
      const taken = Math.min(request + 1, 3);
      const reset = Number(headers.get('x-ratelimit-reset'));
      expect(Number.isInteger(reset)).to.be.true;
      expect(reset).to.be.within(askedAt + taken * 100 - 1, Date.now() / 1000 + taken * 100 + 1);
    }
    expect(left).to.deep.equal([
      [200, '2'],
      [400, '1'],
      [200, '0'],
      [429, '0'],
    ]);
  });

  it('X-RateLimit-* are there with a 403 of a known key, and absent before a key is known', async () => {
    const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
    const reader = await sharedService().newProject({ scopes: ['read'], rates: { write_burst: 7 } });
    const forbidden = await reader.post('/v1/pages/upsert', {});
    expectError(forbidden, 403);
    expect(names.map((name) => forbidden.headers.get(name)).slice(0, 2)).to.deep.equal(['7', '7']);
    const unknown = [await ask(undefined, 'POST', '/v1/suggest'), await ask(undefined, 'GET', '/v1/suggest')];
    for (const { headers } of unknown) for (const name of names) expect(headers.get(name)).to.be.null;
  });

  it('no CORS headers: browsers are no callers', async () => {
    const origin = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' };
    const preflight = await send(sharedService().service.url, 'OPTIONS', '/v1/suggest', undefined, origin);
    expectError(preflight, 405);
    const answer = await project.call('POST', '/v1/suggest', { path: '/help' }, origin);
    for (const { headers } of [preflight, answer]) {
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).to.deep.equal([]);
    }
  });
});

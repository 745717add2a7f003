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
  // These are not valid percent-encodings of a text.
  ...['/%', '/v1/pages/%', '/v1/pages/%zz', '/v1/pages/%ff', '/v1/pages/%E0%A4%A', '/v1/%ff/%zz'],
];
const BROKEN = '{"path": ';
const HUGE = `{"path": "${'x'.repeat(2 * 1024 * 1024)}"}`;
/** A bucket that never fills up again while a test runs. */
const ONE_TOKEN = { read_rate: 0.001, read_burst: 1, write_rate: 0.001, write_burst: 1 };

/** Sends a request that the later checks would refuse, too: by default its body is broken. */
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
      for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'].filter(
        (candidate) => candidate !== right,
      )) {
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

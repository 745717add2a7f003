import { expect } from 'chai';
import { mintKey } from '#src/projects/api-key.js';
import { expectError } from '../../support/expect-error.js';
import { onServer } from '../../support/database.js';
import { jsonInProcess } from '../../support/commands.js';
import { sharedService } from '../../support/shared-service.js';
import { query, kept } from '../../support/sql.js';
import { send, startTestService, type Answer, type TestProject } from '../../support/service.js';
import { until } from '../../support/until.js';

const SEARCH = { query: 'anything' };

function ask(headers: Record<string, string>, base = sharedService().service.url): Promise<Answer> {
  return send(base, 'POST', '/v1/semantic-search', SEARCH, headers);
}

function bearer(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}` };
}

describe('who a key lets in', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
  });

  it('answers without a header, with another scheme, and with what is no key 401', async () => {
    const { key } = project;
    const changed = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    for (const headers of [
      {},
      { Authorization: '' },
      { Authorization: key },
      { Authorization: `Basic ${key}` },
      { Authorization: `Bearer` },
      { Authorization: `Bearer ${key} ${key}` },
      { Authorization: `Bearer ${key},` },
      { 'X-Api-Key': key },
      bearer('x'),
      bearer(changed),
      bearer(key.toLowerCase()),
      bearer(`' or 1=1 --`),
      bearer('x'.repeat(8_000)),
    ] as Record<string, string>[]) {
      const answer = await ask(headers);
      expectError(answer, 401, undefined, JSON.stringify(headers).slice(0, 80));
      expect(answer.headers.get('x-ratelimit-limit'), 'rate headers without a known key').to.equal(null);
    }
  });

  it('says what the header must be where it has the key and not the scheme', async () => {
    for (const authorization of [project.key, `Basic ${project.key}`, `Token ${project.key}`, 'Bearer']) {
      const { body } = await ask({ Authorization: authorization });
      expect(body.error.message).to.equal('The Authorization header must be: Bearer <API_KEY>');
    }
    expect((await ask(bearer('x'))).body.error.message).to.equal('The API key is not valid.');
  });

  it('answers a well-formed key that nobody has 401', async () => {
    expectError(await ask(bearer(mintKey('live'))), 401);
    expectError(await ask(bearer(mintKey('test'))), 401);
  });

  it('takes live and test keys, and the scheme in any case', async () => {
    const testKey = await project.newKey({ mode: 'test' });
    for (const headers of [
      bearer(project.key),
      bearer(testKey),
      { Authorization: `bearer ${project.key}` },
      { authorization: `BEARER  ${project.key}` },
    ]) {
      expect((await ask(headers)).status).to.equal(200);
    }
  });

  it('knows the project by the key alone', async () => {
    const other = await sharedService().newProject();
    await project.upsert({ url: 'https://shop.example/secret-page', content: 'Only the first project has this page.' });
    await project.indexed();
    const question = {
      query: 'which project has this page',
      options: { searchThreshold: 0 },
      project_id: project.row.project_id,
    };
    expect((await project.post('/v1/semantic-search', question)).body.suggestions).to.have.length(1);
    expect((await other.post('/v1/semantic-search', question)).body.suggestions).to.deep.equal([]);
  });

  it('lets a key do what its scopes say: 403 for a write with a read key, and the other way round', async () => {
    const page = { url: 'https://shop.example/a', content: 'A page.' };
    const operations: ['read' | 'write', string, string, unknown, number][] = [
      ['write', 'POST', '/v1/pages/upsert', page, 202],
      ['write', 'DELETE', '/v1/pages/delete', { url: page.url }, 200],
      ['read', 'POST', '/v1/suggest', { path: '/a' }, 200],
      ['read', 'POST', '/v1/semantic-search', SEARCH, 200],
      ['read', 'POST', '/v1/retrieve', SEARCH, 200],
      ['read', 'POST', '/v1/events', { raw_path: '/a' }, 204],
      ['read', 'GET', '/v1/search?query=a', undefined, 200],
      ['read', 'GET', '/v1/proxy?url=/a', undefined, 404],
    ];
    for (const scope of ['read', 'write'] as const) {
      const key = await project.newKey({ scopes: [scope] });
      for (const [needed, method, path, body, status] of operations) {
        const answer = await project.call(method, path, body, bearer(key));
        if (needed === scope) expect(answer.status, `${scope} key: ${path}`).to.equal(status);
        else expectError(answer, 403, undefined, `${scope} key: ${path}`);
      }
    }
  });

  it('refuses a key from its expiry on', async () => {
    const key = await project.newKey({ expiresAt: new Date(Date.now() + 86_400_000) });
    expect((await ask(bearer(key))).status).to.equal(200);
    expectError(await ask(bearer(await project.newKey({ expiresAt: new Date(Date.now() - 1_000) }))), 401);
    const short = await project.newKey({ expiresAt: new Date(Date.now() + 500) });
    await until('the key has expired', async () => (await ask(bearer(short))).status === 401, 1_500);
    expect((await ask(bearer(project.key))).status, 'another key of the project').to.equal(200);
  });

  it('refuses a revoked key within a second of its revocation, on every instance (more than one: on a server only)', async function () {
    this.timeout(120_000);
    const { database, service } = sharedService();
    const second = onServer() ? await startTestService({}, { database: kept(database) }) : undefined;
    const instances = [service.url, ...(second ? [second.service.url] : [])];
    try {
      const key = await project.newKey();
      for (const url of instances)
        for (let i = 0; i < 3; i++) expect((await ask(bearer(key), url)).status).to.equal(200);
      await jsonInProcess(['key', 'revoke', '--key', key], database.environment);
      for (const url of instances) {
        await until('the key is refused', async () => (await ask(bearer(key), url)).status === 401, 1_000);
        expectError(await ask(bearer(key), url), 401);
        expect((await ask(bearer(project.key), url)).status, 'another key of the project').to.equal(200);
      }
    } finally {
      await second?.stop();
    }
  });

  it('answers a project without a plan and a restricted project 403, and lets them in again when that changes', async () => {
    const { service } = sharedService();
    const set = (change: string): Promise<unknown> =>
      query(service, `update pathmend.projects set ${change} where project_id = $1`, [project.row.project_id]);
    for (const [barred, back] of [
      ['plan = null', `plan = 'solo'`],
      [`access = 'restricted'`, `access = 'open'`],
    ] as const) {
      await set(barred);
      expectError(await project.post('/v1/semantic-search', SEARCH), 403);
      expectError(await project.post('/v1/events', { raw_path: '/x' }), 403);
      expectError(await project.post('/v1/pages/upsert', { url: 'https://shop.example/', content: 'x' }), 403);
      await set(back);
      expect((await project.post('/v1/semantic-search', SEARCH)).status).to.equal(200);
    }
  });
});

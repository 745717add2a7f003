import { expect } from 'chai';
import { prepareDemo } from '#src/app/demo/run-demo.js';
import { createKey } from '#src/projects/create-key.js';
import { send, startTestService, type TestService } from '../../support/service.js';

describe('the demo', function () {
  this.timeout(180_000);
  let test: TestService;

  before(async () => {
    test = await startTestService();
  });
  after(() => test.stop());

  it('ends the key that its last start printed, and none that somebody made on its project', async () => {
    const { service } = test;
    const first = await prepareDemo(service);
    const own = { projectId: first.projectId, mode: 'live', scopes: ['read'], expiresAt: null } as const;
    const made = [await createKey(service.db, own), await createKey(service.db, { ...own, name: 'my site' })];
    const second = await prepareDemo(service);
    const status = async (key: string): Promise<number> =>
      (await send(service.url, 'GET', '/v1/pages?limit=1', undefined, { Authorization: `Bearer ${key}` })).status;
    expect(await Promise.all(made.map(({ key }) => status(key)))).to.deep.equal([200, 200]);
    expect(await status(second.key)).to.equal(200);
    expect(await status(first.key)).to.equal(401);
  });
});

import { expect } from 'chai';
import { prepareDemo } from '#src/app/demo/run-demo.js';
import { countWaitingPages } from '#src/pages/store/page-counts.js';
import { createKey } from '#src/projects/keys.js';
import { modelOf } from '../../../scripts/whole-project.js';
import { send, startTestService, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';

describe('the demo', function () {
  this.timeout(180_000);
  let test: TestService;

  before(async () => {
    test = await startTestService({ EMBEDDING_MODEL: 'auto' });
  });
  after(() => test.stop());

  it('embeds none of its own pages: their vectors come with it', async () => {
    const { service } = test;
    const { projectId } = await prepareDemo(service);
    await until('its pages are indexed', async () => (await countWaitingPages(service.db, projectId)) === 0, 120_000);
    expect((await modelOf(service, projectId)).model.manifest.id).to.equal('pathmend-english-v1');
    expect((await send(service.url, 'GET', '/metrics')).text).to.match(/^pathmend_embedding_passages_total 0$/m);
  });

  it('ends the key that its last start printed, and none that somebody made on its project', async () => {
    const { service } = test;
    const first = await prepareDemo(service);
    const keyOptions = { projectId: first.projectId, mode: 'live', scopes: ['read'], expiresAt: null } as const;
    const made = [
      await createKey(service.db, keyOptions),
      await createKey(service.db, { ...keyOptions, name: 'my site' }),
    ];
    const second = await prepareDemo(service);
    const status = async (key: string): Promise<number> =>
      (await send(service.url, 'GET', '/v1/pages?limit=1', undefined, { Authorization: `Bearer ${key}` })).status;
    expect(await Promise.all(made.map(({ key }) => status(key)))).to.deep.equal([200, 200]);
    expect(await status(second.key)).to.equal(200);
    expect(await status(first.key)).to.equal(401);
  });
});

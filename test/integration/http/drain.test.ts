import { expect } from 'chai';
import { send, startTestService, type TestService } from '../../support/service.js';

describe('a service that was told to stop, and whose readiness is watched', function () {
  this.timeout(60_000);
  let test: TestService;

  before(async () => {
    test = await startTestService();
  });

  after(() => test.stop());

  it('says so first: readyz is red, and everybody is served as ever until that was heard', async () => {
    const project = await test.newProject();
    const ready = (): ReturnType<typeof send> => send(test.service.url, 'GET', '/readyz');
    for (let times = 0; times < 2; times++) expect((await ready()).status).to.equal(200);
    let heard = false;
    const draining = test.service.drain().then(() => (heard = true));
    const { status, body } = await ready();
    expect([status, body]).to.deep.equal([
      503,
      { status: 'leaving', checks: { schema: true, search: true, model: true } },
    ]);
    const search = await project.post('/v1/suggest', { path: '/shipping' });
    expect([search.status, search.headers.get('connection')]).to.deep.equal([200, 'keep-alive']);
    expect((await send(test.service.url, 'GET', '/healthz')).status).to.equal(200);
    expect(heard, 'it was told while it still waited').to.be.false;
    await draining;
  });
});

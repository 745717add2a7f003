import { expect } from 'chai';
import { onServer } from '../support/database.js';
import { sharedService } from '../support/shared-service.js';
import { connectTo } from '../support/sql.js';

describe('a search that takes longer than its deadline (on a server only: the embedded database has none)', function () {
  this.timeout(60_000);

  it('is refused with a 503 and Retry-After while the database answers others, and not as if it were away', async function () {
    if (!onServer()) this.skip();
    const test = sharedService();
    const project = await test.newProject();
    await project.upsert({ url: 'https://shop.example/help/shipping-times', content: 'Parcels take three days.' });
    await project.indexed();
    const holder = await connectTo(test.database);
    try {
      await holder.query('begin');
      await holder.query('lock table pathmend.chunks in access exclusive mode');
      const over = new AbortController();
      const pendingSearch = project.post('/v1/retrieve', { query: 'how long do parcels take' }).finally(() => {
        over.abort();
      });
      // Not /readyz, which tries a search as well.
      while (!over.signal.aborted)
        expect((await project.post('/v1/events', { raw_path: '/meanwhile' })).status).to.equal(204);
      const { status, body, headers } = await pendingSearch;
      expect([status, body.error.code]).to.deep.equal([503, 'overloaded']);
      expect(Number(headers.get('retry-after'))).to.be.at.least(1);
    } finally {
      await holder.end();
    }
    expect((await project.post('/v1/retrieve', { query: 'how long do parcels take' })).status).to.equal(200);
  });
});

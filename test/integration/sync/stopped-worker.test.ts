import { expect } from 'chai';
import { createTestDatabase } from '../../support/database.js';
import { startTestService, type TestService } from '../../support/service.js';
import { startChangingSite, SyncedProject } from '../../support/synced-site.js';
import { queueDueSyncs } from '#src/sync/request-sync.js';
import { until } from '../../support/until.js';
import { OWN_NETWORK } from '../../support/watch.js';

describe('a sync whose worker is stopped', function () {
  this.timeout(120_000);

  it('is begun anew by the next one', async () => {
    const database = await createTestDatabase({ migrated: true });
    const site = await startChangingSite();
    let release: () => void = () => undefined;
    const held = new Promise<void>((done) => (release = done));
    site.paths = ['/', '/a'];
    site.atPage = () => held;
    let test: TestService = await startTestService(OWN_NETWORK, { database });
    try {
      const row = await test.newProject();
      const before = new SyncedProject(test, site, row);
      await before.set();
      const runId = await before.ask();
      await until('the first page is asked for', () => site.web.requests.some(({ path }) => path === '/'));
      await test.service.stop();
      release();
      test = await startTestService(OWN_NETWORK, { database });
      const after = new SyncedProject(test, site, row);
      expect((await after.run(runId)).state).to.equal('waiting');
      await queueDueSyncs(after.deps);
      expect(await after.ended(runId)).to.include({ outcome: 'done', tries: 2 });
      expect(await after.urls()).to.deep.equal(['/', '/a']);
    } finally {
      await site.web.close();
      await test.stop();
    }
  });
});

import { expect } from 'chai';
import type { Db } from '#src/platform/database/db.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { learnRedirects } from '#src/rules/learn-redirects-job.js';
import { onServer } from '../../../support/database.js';
import { startTestService, type TestService } from '../../../support/service.js';

describe('a job that waits, and stands for work that a transaction asks for (server only: it needs two sessions)', () => {
  let test: TestService;
  let projectId: string;

  before(async function () {
    if (!onServer()) this.skip();
    test = await startTestService();
    await test.service.queue.stopWorking(learnRedirects);
    projectId = (await test.newProject()).row.project_id;
  });
  after(async () => {
    if (onServer()) await test.stop();
  });

  const fetchJobs = async (): Promise<number> =>
    (await test.service.queue.boss.fetch(learnRedirects.name, { batchSize: 10 })).length;

  /** Queues the job, and again in a transaction, in which `meanwhile` runs before the commit. */
  async function queueTwice(db: Db, meanwhile: () => Promise<number>): Promise<number> {
    const { queue } = test.service;
    await queue.enqueueNow(learnRedirects, [{ projectId }]);
    return inTransaction(db, async (trx) => {
      await queue.enqueue(trx, learnRedirects, [{ projectId }, { projectId }]);
      return meanwhile();
    });
  }

  for (const [whose, dbOf] of [
    ['the service', () => test.service.db],
    ['a tenant', () => test.service.deps.tenants.of(projectId).db],
  ] as const) {
    it(`is followed by another if a worker began it before the commit, with the rights of ${whose}`, async () => {
      expect(await queueTwice(dbOf(), fetchJobs), 'began before the commit').to.equal(1);
      expect(await fetchJobs()).to.equal(1);
    });

    it(`is the only one while it waits, with the rights of ${whose}`, async () => {
      await queueTwice(dbOf(), () => Promise.resolve(0));
      expect(await fetchJobs()).to.equal(1);
    });
  }

  it('is followed by none if the transaction is rolled back', async () => {
    const meant = new Error('rolled back');
    const failed = queueTwice(test.service.db, async () => {
      await fetchJobs();
      throw meant;
    });
    expect(await failed.catch((error: unknown) => error)).to.equal(meant);
    expect(await fetchJobs()).to.equal(0);
  });
});

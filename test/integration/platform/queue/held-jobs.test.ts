import { expect } from 'chai';
import type { Trx } from '#src/platform/database/db.js';
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

  /** Queues the job in a transaction. The jobs that a worker gets before the commit, and after it. */
  async function fetchAround(run: (work: (trx: Trx) => Promise<number>) => Promise<number>): Promise<[number, number]> {
    const { queue } = test.service;
    const fetched = async (): Promise<number> => (await queue.boss.fetch(learnRedirects.name)).length;
    await queue.enqueueNow(learnRedirects, [{ projectId }]);
    const before = await run(async (trx) => {
      await queue.enqueue(trx, learnRedirects, [{ projectId }, { projectId }]);
      return fetched();
    });
    return [before, await fetched()];
  }

  it('is begun by no worker before the transaction is committed', async () => {
    expect(await fetchAround((work) => inTransaction(test.service.db, work))).to.deep.equal([0, 1]);
  });

  it('not by one that queues with the rights of a tenant, either', async () => {
    expect(await fetchAround((work) => inTransaction(test.service.deps.tenants.of(projectId).db, work))).to.deep.equal([
      0, 1,
    ]);
  });
});

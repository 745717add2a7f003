import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { ofProjects } from '#src/platform/queue/job.js';
import { learnRedirects } from '#src/rules/learn-redirects-job.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { query } from '../../../support/sql.js';

describe('a job for every project', () => {
  /** More than go into one statement. */
  const PROJECTS = 5_001;
  let test: TestService;

  before(async function () {
    this.timeout(60_000);
    test = await startTestService();
  });
  after(() => test.stop());

  it('is queued once for each, however many there are', async function () {
    this.timeout(60_000);
    const { queue } = test.service.deps;
    const jobs = ofProjects(Array.from({ length: PROJECTS }, () => randomUUID()));
    await queue.enqueueNow(learnRedirects, jobs);
    const rows = await query<{ key: string }>(
      test.service,
      'select singleton_key as key from pgboss.job where name = $1',
      [learnRedirects.name],
    );
    expect(rows.map(({ key }) => key).sort()).to.deep.equal(jobs.map(({ projectId }) => projectId).sort());
  });
});

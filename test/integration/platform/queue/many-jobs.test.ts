import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { ofProjects } from '#src/platform/queue/job.js';
import { vectorizePage } from '#src/pages/indexing/vectorize-job.js';
import { learnRedirects } from '#src/rules/learn-redirects-job.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { query } from '../../../support/sql.js';

describe('a queue of many jobs', function () {
  this.timeout(60_000);
  let test: TestService;

  before(async () => {
    test = await startTestService();
  });
  after(() => test.stop());

  it('reads none of those that an import finished to withdraw the waiting ones of a deleted page', async () => {
    const { db, queue } = test.service;
    const finished = 5_000;
    await sql`insert into pgboss.job_common (name, state, policy, singleton_key, data)
              select ${vectorizePage.name}, 'completed', 'short', 'done-' || i, '{}' from generate_series(1, ${finished}::int) as i`.execute(
      db,
    );
    await sql`analyze pgboss.job_common`.execute(db);
    const read = await inTransaction(db, async (trx) => {
      await queue.withdraw(trx, vectorizePage, [randomUUID()]);
      const { rows } = await sql<{ n: number }>`
        select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n
          from pg_stat_xact_user_tables where relname = 'job_common'`.execute(trx);
      return rows[0]?.n;
    });
    expect(read).to.be.a('number').and.be.below(finished);
  });

  it('takes one for every project, more than go into one statement', async () => {
    const jobs = ofProjects(Array.from({ length: 5_001 }, () => randomUUID()));
    await test.service.deps.queue.enqueueNow(learnRedirects, jobs);
    const rows = await query<{ key: string }>(
      test.service,
      'select singleton_key as key from pgboss.job where name = $1',
      [learnRedirects.name],
    );
    expect(rows.map(({ key }) => key).sort()).to.deep.equal(jobs.map(({ projectId }) => projectId).sort());
  });
});

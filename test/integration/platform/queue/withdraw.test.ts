import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { vectorizePage } from '#src/pages/indexing/vectorize-job.js';
import { startTestService, type TestService } from '../../../support/service.js';

/** As an import leaves them for some minutes. */
const FINISHED = 5_000;

describe('withdrawing the waiting jobs of a page that is deleted', () => {
  let test: TestService;

  before(async () => {
    test = await startTestService();
  });
  after(() => test.stop());

  it('reads none of the jobs that are finished', async () => {
    const { db, queue } = test.service;
    await sql`insert into pgboss.job_common (name, state, policy, singleton_key, data)
              select ${vectorizePage.name}, 'completed', 'short', 'done-' || i, '{}' from generate_series(1, ${FINISHED}::int) as i`.execute(
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
    expect(read).to.be.a('number').and.be.below(FINISHED);
  });
});

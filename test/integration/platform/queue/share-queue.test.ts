import { expect } from 'chai';
import type pg from 'pg';
import { shareQueue } from '#src/platform/queue/create-boss.js';
import { onServer } from '../../../support/database.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { connectTo, query } from '../../../support/sql.js';
import { until } from '../../../support/until.js';

describe("the rights of tenants on pg-boss's tables (server only: the embedded database has one session)", () => {
  let running: TestService;
  let other: pg.Client;

  before(async function () {
    if (!onServer()) this.skip();
    running = await startTestService();
    other = await connectTo(running.database);
  });

  after(async () => {
    if (!onServer()) return;
    await other.end();
    await running.stop();
  });

  const policies = async (): Promise<string[]> =>
    (
      await query<{ name: string }>(
        running.service,
        `select tablename || ' ' || policyname as name from pg_policies where schemaname = 'pgboss' order by name`,
      )
    ).map(({ name }) => name);

  /** Sessions that wait for a lock on a table of pg-boss. */
  const waiting = async (): Promise<number> =>
    (
      await query(
        running.service,
        `select from pg_locks where relation = 'pgboss.job_common'::regclass and not granted`,
      )
    ).length;

  it('are given while a transaction uses the tables in the other order, and neither fails', async () => {
    const all = await policies();
    expect(all).to.have.length(4);
    for (const table of ['job', 'job_common'])
      for (const policy of ['service', 'tenant'])
        await query(running.service, `drop policy ${policy} on pgboss.${table}`);
    await other.query('begin');
    await other.query('lock table pgboss.job_common in row exclusive mode');
    const shared = shareQueue(running.service.db);
    await until('the rights wait for the second table', async () => (await waiting()) > 0);
    await other.query('lock table pgboss.job in row exclusive mode');
    await other.query('commit');
    await shared;
    expect(await policies()).to.deep.equal(all);
  });
});

import { expect } from 'chai';
import { sql, type Sql } from '#src/platform/database/sql.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { sqlState } from '#src/platform/database/session/database-errors.js';
import type { Db } from '#src/platform/database/db.js';
import { ConnectionInsideTransaction } from '#src/platform/database/session/inside-transaction.js';
import { recordEvent } from '#src/events/record-events-job.js';
import { maintenance } from '#src/operations/maintenance-job.js';
import { rejection } from '../../../embedding/rejection.js';
import { onServer } from '../../../../support/database.js';
import { sharedService } from '../../../../support/shared-service.js';
import { connectTo } from '../../../../support/sql.js';
import { until } from '../../../../support/until.js';

describe('a transaction', () => {
  const db = (): Db => sharedService().service.db;

  describe('refuses a second connection by name instead of hanging', () => {
    const attempts: [string, () => Promise<unknown>][] = [
      ['a query of the pool', () => sharedService().service.database.connection.pool.query('select 1')],
      ['a connection of the pool', () => sharedService().service.database.connection.pool.connect()],
      ['a query of the database', () => sql`select 1`.execute(db())],
      ['a transaction inside', () => inTransaction(db(), () => Promise.resolve())],
      ['a job queued without the transaction', () => sharedService().service.queue.enqueueNow(maintenance, [{}])],
    ];
    for (const [what, ask] of attempts) {
      it(`asked for by ${what}`, async () => {
        await inTransaction(db(), async (trx) => {
          await rejection(ask(), ConnectionInsideTransaction);
          // A callback deep inside the transaction is refused, too, and the transaction itself goes on.
          await rejection(
            new Promise((_, failed) =>
              setImmediate(() => {
                ask().catch(failed);
              }),
            ),
            ConnectionInsideTransaction,
          );
          expect((await sql<{ number: number }>`select 1 as number`.execute(trx)).rows).to.deep.equal([{ number: 1 }]);
        });
        await sql`select 1`.execute(db());
      });
    }
  });

  it('whose connection breaks in the middle fails, and the process goes on (server only: the embedded database has one session)', async function () {
    if (!onServer()) this.skip();
    const other = await connectTo(sharedService().database);
    try {
      const broken = inTransaction(db(), async (trx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
        const { pid } = rows[0] ?? { pid: 0 };
        // Between two of its statements: nobody waits for an answer on the connection when it breaks.
        await other.query('select pg_terminate_backend($1)', [pid]);
        await until(
          'the session is gone',
          async () => (await other.query('select from pg_stat_activity where pid = $1', [pid])).rowCount === 0,
        );
        await sql`select 1`.execute(trx);
      });
      await rejection(broken, Error);
      expect((await sql<{ number: number }>`select 1 as number`.execute(db())).rows).to.deep.equal([{ number: 1 }]);
    } finally {
      await other.end();
    }
  });

  it('takes a job that is queued with it, and takes it back with it', async () => {
    const eventId = crypto.randomUUID();
    const undone = inTransaction(db(), async (trx) => {
      await sharedService().service.queue.enqueue(trx, recordEvent, [
        {
          eventId,
          projectId: crypto.randomUUID(),
          isTest: true,
          receivedAt: new Date().toISOString(),
          event: { type: 'not-found', rawPath: '/', origin: null, referrer: null, userAgent: null, visitorIp: null },
        },
      ]);
      expect(await jobs(trx, eventId)).to.equal(1);
      throw new Error('undo');
    });
    await rejection(undone, Error);
    expect(await jobs(db(), eventId)).to.equal(0);
  });

  async function jobs(executor: Db, id: string): Promise<number> {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from pgboss.job where id = ${id}`.execute(
      executor,
    );
    return rows[0]?.n ?? 0;
  }

  /** Raises the error that PostgreSQL gives the transaction that lost, with this SQLSTATE. */
  function lose(state: string): Sql {
    return sql`do ${sql.raw(`$$ begin raise exception 'lost' using errcode = '${state}'; end $$`)}`;
  }

  for (const state of ['40P01', '40001']) {
    it(`that was lost (${state}) is run again from its beginning`, async () => {
      let runs = 0;
      const result = await inTransaction(db(), async (trx) => {
        runs += 1;
        if (runs < 3) await lose(state).execute(trx);
        return `done in run ${runs}`;
      });
      expect(result).to.equal('done in run 3');
    });
  }

  it('that loses again and again fails in the end with what PostgreSQL said', async () => {
    let runs = 0;
    const error = await rejection(
      inTransaction(db(), async (trx) => {
        runs += 1;
        await lose('40P01').execute(trx);
      }),
      Error,
    );
    expect(sqlState(error)).to.equal('40P01');
    expect(runs).to.equal(4);
  });

  it('that fails for another reason is not run again', async () => {
    let runs = 0;
    await rejection(
      inTransaction(db(), async (trx) => {
        runs += 1;
        await lose('23505').execute(trx);
      }),
      Error,
    );
    expect(runs).to.equal(1);
  });

  it('that lost a real deadlock is run again (server only: the embedded database runs one transaction at a time)', async function () {
    if (!onServer()) this.skip();
    let runs = 0;
    let waiting = 2;
    let bothHold: () => void = () => undefined;
    const met = new Promise<void>((done) => {
      bothHold = done;
    });
    const lockBoth = (first: number, second: number): Promise<void> =>
      inTransaction(db(), async (trx) => {
        runs += 1;
        await sql`select pg_advisory_xact_lock(77001, ${first}::int)`.execute(trx);
        waiting -= 1;
        if (waiting === 0) bothHold();
        await met;
        await sql`select pg_advisory_xact_lock(77001, ${second}::int)`.execute(trx);
      });
    await Promise.all([lockBoth(1, 2), lockBoth(2, 1)]);
    expect(runs).to.equal(3);
  });
});

import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { connect, inTransaction, type Connection } from '#src/platform/database/session/connect.js';
import { DatabaseBusy, DatabaseUnresponsive } from '#src/platform/database/session/deadline.js';
import type { Db } from '#src/platform/database/db.js';
import { databaseOf } from '#src/platform/database/session/driver.js';
import { EmbedderPool } from '#src/embedding/embedder-pool.js';
import { modelStore } from '#src/pages/store/models.js';
import { openModels } from '#src/embedding/model-registry.js';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { rejection } from '../../../embedding/rejection.js';
import { onServer } from '../../../../support/database.js';
import { sharedService } from '../../../../support/shared-service.js';
import { until } from '../../../../support/until.js';

describe('a database with a deadline', () => {
  let connection: Connection;

  beforeEach(() => {
    connection = open(1);
  });

  function open(max: number): Connection {
    const { url } = sharedService().service.database;
    return connect({ url, max, applicationName: 'test', onIdleError: () => undefined, ownSessions: onServer() });
  }

  afterEach(() => connection.close());

  it('fails for whoever waits too long for a connection, and keeps none from those who come later', async () => {
    const only = await connection.pool.connect();
    await rejection(sql`select 1`.execute(databaseOf(connection.pool, { withinMs: 50 })), DatabaseUnresponsive);
    only.release();
    expect((await sql<{ number: number }>`select 1 as number`.execute(connection.db)).rows).to.deep.equal([
      { number: 1 },
    ]);
    expect(connection.pool.stats()).to.include({ total: 1, idle: 1, waiting: 0 });
  });

  it('does nothing to connections that were given back in time', async () => {
    const prompt = databaseOf(connection.pool, { withinMs: 1_000 });
    const client = await connection.pool.connect();
    client.release();
    await sql`select 1`.execute(prompt);
    const laterClient = await connection.pool.connect();
    const held = performance.now();
    await until('the deadline would be over', () => performance.now() > held + 1_100);
    await laterClient.query('select 1');
    laterClient.release();
    expect(laterClient.connection, 'the same connection').to.equal(client.connection);
  });

  it('breaks a connection that is late, and with it a transaction, which never happened (server only: the embedded database has one session)', async function () {
    if (!onServer()) this.skip();
    const { row } = await sharedService().newProject();
    const late = inTransaction(databaseOf(connection.pool, { withinMs: 1_500 }), async (trx) => {
      await sql`delete from pathmend.projects where project_id = ${row.project_id}`.execute(trx);
      await rejection(sql`select pg_sleep(20)`.execute(trx), DatabaseUnresponsive);
      await sql`select 1`.execute(trx);
    });
    // The error for a query on a broken connection has no class in pg, only its message.
    expect((await rejection(late, Error)).message).to.contain('not queryable');
    const { rows } = await sql`select from pathmend.projects where project_id = ${row.project_id}`.execute(
      connection.db,
    );
    expect(rows).to.have.length(1);
    expect(connection.pool.stats().total).to.equal(1);
  });

  it('says that the database is busy, not away, where it answers others meanwhile, and leaves the server nothing to do (server only)', async function () {
    if (!onServer()) this.skip();
    const two = open(2);
    try {
      const late = rejection(
        sql`select pg_sleep(60) as left_behind`.execute(databaseOf(two.pool, { withinMs: 500 })),
        DatabaseBusy,
      );
      let isOver = false;
      void late.finally(() => {
        isOver = true;
      });
      await until('the deadline has struck', async () => {
        await sql`select 1`.execute(two.db);
        return isOver;
      });
      await late;
      await until(
        'the server has stopped it',
        async () => {
          const { rows } =
            await sql`select from pg_stat_activity where state = 'active' and query like '%pg_sleep(60) as left_behind' and pid <> pg_backend_pid()`.execute(
              two.db,
            );
          return rows.length === 0;
        },
        5_000,
      );
    } finally {
      await two.close();
    }
  });

  it('lets the server end by itself what is left behind, a second later, and nothing of whoever has no deadline (server only)', async function () {
    if (!onServer()) this.skip();
    const timeout = async (db: Db): Promise<unknown> =>
      (await sql<{ statement_timeout: string }>`show statement_timeout`.execute(db)).rows[0]?.statement_timeout;
    const standard = await timeout(connection.db);
    expect(await timeout(databaseOf(connection.pool, { withinMs: 3_000 }))).to.equal('4s');
    expect(await timeout(databaseOf(connection.pool, { withinMs: 8_000 }))).to.equal('9s');
    expect(await timeout(connection.db)).to.equal(standard);
  });

  it('is asked anew for a model that it could not be asked for before', async () => {
    const embedder = new EmbedderPool({ pageThreads: 1, cacheFolder: '', onFault: () => undefined });
    try {
      const store = modelStore(databaseOf(connection.pool, { withinMs: 2_000 }));
      const models = openModels(store, embedder, { logger: createLogger('error') });
      const held = await connection.pool.connect();
      await rejection(models.find(12_345), DatabaseUnresponsive);
      held.release();
      expect(await models.find(12_345)).to.equal(undefined);
    } finally {
      await embedder.stop();
    }
  });
});

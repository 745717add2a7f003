import { expect } from 'chai';
import { sql } from 'kysely';
import { connect, inTransaction, type Connection } from '#src/database/connect.js';
import { DatabaseSilent } from '#src/database/deadline.js';
import { databaseOf } from '#src/database/guarded-pool.js';
import { createEmbedder } from '#src/embedding/create-embedder.js';
import { openModels } from '#src/embedding/model-registry.js';
import { createLogger } from '#src/logger.js';
import { rejection } from '../embedding/rejection.js';
import { onServer } from '../support/database.js';
import { sharedService } from '../support/shared-service.js';
import { until } from '../support/until.js';

describe('a database with a deadline', () => {
  let connection: Connection;

  beforeEach(() => {
    const { url } = sharedService().service.database;
    connection = connect({ url, max: 1, applicationName: 'test', onIdleError: () => undefined });
  });

  afterEach(() => connection.close());

  it('fails for whoever waits too long for a connection, and keeps none from those who come later', async () => {
    const only = await connection.pool.connect();
    await rejection(sql`select 1`.execute(databaseOf(connection.pool, { withinMs: 50 })), DatabaseSilent);
    only.release();
    expect((await sql<{ one: number }>`select 1 as one`.execute(connection.db)).rows).to.deep.equal([{ one: 1 }]);
    expect([connection.pool.totalCount, connection.pool.idleCount, connection.pool.waitingCount]).to.deep.equal([1, 1, 0]);
  });

  it('does nothing to connections that were given back in time', async () => {
    const prompt = databaseOf(connection.pool, { withinMs: 100 });
    const client = await connection.pool.connect();
    client.release();
    await sql`select 1`.execute(prompt);
    const own = await connection.pool.connect();
    const held = performance.now();
    await until('the deadline would be over', () => performance.now() > held + 200);
    await own.query('select 1');
    own.release();
    expect(own, 'the same connection').to.equal(client);
  });

  it('breaks a connection that is late, and with it a transaction, which never happened (server only: the embedded database has one session)', async function () {
    if (!onServer()) this.skip();
    const { row } = await sharedService().newProject();
    const late = inTransaction(databaseOf(connection.pool, { withinMs: 300 }), async (trx) => {
      await sql`delete from pathmend.projects where project_id = ${row.project_id}`.execute(trx);
      await rejection(sql`select pg_sleep(3)`.execute(trx), DatabaseSilent);
      await sql`select 1`.execute(trx);
    });
    // What is asked of a connection after it broke, pg says in words only.
    expect((await rejection(late, Error)).message).to.contain('not queryable');
    const { rows } = await sql`select from pathmend.projects where project_id = ${row.project_id}`.execute(connection.db);
    expect(rows).to.have.length(1);
    expect(connection.pool.totalCount).to.equal(1);
  });

  it('is asked anew for a model that it could not be asked for before', async () => {
    const embedder = createEmbedder({ cacheFolder: '', intraOpThreads: 1, onFault: () => undefined });
    try {
      const configured = { location: undefined, loading: embedder.load(undefined) };
      const models = await openModels(databaseOf(connection.pool, { withinMs: 2_000 }), embedder, configured, createLogger('error'));
      const held = await connection.pool.connect();
      await rejection(models.available(12_345), DatabaseSilent);
      held.release();
      expect(await models.available(12_345)).to.be.false;
    } finally {
      await embedder.stop();
    }
  });
});

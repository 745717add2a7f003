import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { connect, type Connection } from '#src/platform/database/session/connect.js';
import { sqlState } from '#src/platform/database/session/database-errors.js';
import { createTenants } from '#src/platform/database/session/tenants.js';
import { rejection } from '../../../embedding/rejection.js';
import { onServer } from '../../../../support/database.js';
import { sharedService } from '../../../../support/shared-service.js';
import { connectTo } from '../../../../support/sql.js';
import { until } from '../../../../support/until.js';

describe("a server's session (the embedded database has one, which is set for nobody)", () => {
  let connection: Connection;

  const open = (url = sharedService().service.database.url): Connection =>
    connect({ url, max: 1, applicationName: 'test', onIdleError: () => undefined, ownSessions: true });

  before(function () {
    if (!onServer()) this.skip();
  });

  beforeEach(() => {
    connection = open();
  });

  afterEach(() => connection.close());

  const settings = sql<{ role: string; project: string | null; plan: string }>`
    select current_user as role, nullif(current_setting('pathmend.project', true), '') as project,
           current_setting('plan_cache_mode') as plan`;

  it('is set for a tenant by its first statement, stays so for the next, and not for the service', async () => {
    const projectId = randomUUID();
    const { db } = createTenants(connection.pool, true).of(projectId);
    const service = (await settings.execute(connection.db)).rows[0];
    for (let turn = 0; turn < 2; turn++) {
      const { rows } = await settings.execute(db);
      expect(rows).to.deep.equal([{ role: 'pathmend_tenant', project: projectId, plan: 'auto' }]);
    }
    expect((await settings.execute(connection.db)).rows).to.deep.equal([service]);
    expect(service?.project).to.equal(null);
  });

  it('fails the statement that it cannot be set for, whatever that found, and is not used again', async () => {
    // A pooler's session is rolled back instead, with its transaction.
    const session = await connection.pool.take();
    session.release();
    const isOwn = !session.client.isPooled;
    const admin = await connectTo(sharedService().database);
    const login = `nobody_${randomUUID().slice(0, 8)}`;
    await admin.query(`create role ${login} login password 'nobody'`);
    const url = new URL(sharedService().service.database.url);
    url.username = login;
    url.password = 'nobody';
    const barred = open(url.href);
    try {
      const { db } = createTenants(barred.pool, true).of(randomUUID());
      expect(sqlState(await rejection(sql`select 1 as found`.execute(db), Error))).to.equal('42501');
      if (isOwn) await until('the session is closed', () => barred.pool.stats().total === 0);
      expect((await sql<{ number: number }>`select 2 as number`.execute(barred.db)).rows).to.deep.equal([
        { number: 2 },
      ]);
    } finally {
      await barred.close();
      await admin.query(`drop role ${login}`);
      await admin.end();
    }
  });
});

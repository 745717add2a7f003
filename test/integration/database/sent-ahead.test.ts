import { expect } from 'chai';
import { connect, type Connection } from '#src/database/session/connect.js';
import { sendAhead } from '#src/database/session/sent-ahead.js';
import { rejection } from '../embedding/rejection.js';
import { sharedService } from '../../support/shared-service.js';
import { until } from '../../support/until.js';

describe('what a session is told ahead of its first query', () => {
  let connection: Connection;

  beforeEach(() => {
    connection = connect({
      url: sharedService().service.database.url,
      max: 1,
      applicationName: 'test',
      onIdleError: () => undefined,
    });
  });

  afterEach(() => connection.close());

  it('holds for this one and those after it', async () => {
    const client = sendAhead(await connection.pool.connect(), "set pathmend.said = 'ahead'");
    for (let turn = 0; turn < 2; turn++) {
      const { rows } = await client.query<{ said: string }>("select current_setting('pathmend.said') as said");
      expect(rows).to.deep.equal([{ said: 'ahead' }]);
    }
    client.release();
    expect(connection.pool.idleCount).to.equal(1);
  });

  for (const [what, told] of [
    ['fails', 'select 1 / 0'],
    ['is no SQL', 'become nobody'],
  ] as const) {
    it(`fails that query when it ${what}, whatever the query itself found, and the session is not used again`, async () => {
      const client = sendAhead(await connection.pool.connect(), told);
      await rejection(client.query('select 1 as found'), Error);
      client.release();
      await until('the session is closed', () => connection.pool.totalCount === 0);
      expect((await connection.pool.query<{ found: number }>('select 2 as found')).rows).to.deep.equal([{ found: 2 }]);
    });
  }

  it('decides whether the session is used again, where nothing was asked of it', async () => {
    sendAhead(await connection.pool.connect(), "set pathmend.said = 'ahead'").release();
    await until('the session is back', () => connection.pool.idleCount === 1);
    sendAhead(await connection.pool.connect(), 'select 1 / 0').release();
    await until('the session is closed', () => connection.pool.totalCount === 0);
  });
});

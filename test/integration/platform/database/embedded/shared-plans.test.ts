import { expect } from 'chai';
import { connect, type Connection } from '#src/platform/database/session/connect.js';
import { onServer } from '../../../../support/database.js';
import { sharedService } from '../../../../support/shared-service.js';

describe('the plans of the embedded database', () => {
  let connection: Connection | undefined;

  before(function () {
    if (onServer()) this.skip();
  });

  after(() => connection?.close());

  it('are discarded once by all of its connections, which share its session, and not once by each', async () => {
    connection = connect({
      url: sharedService().service.database.url,
      max: 3,
      applicationName: 'pathmend-test',
      onIdleError: () => undefined,
    });
    const { pool } = connection;
    const { project_id: projectId } = (await sharedService().newProject()).row;
    const sessions = await Promise.all([1, 2, 3].map(() => pool.take({ projectId })));
    const sent: unknown[] = [];
    for (const { client } of sessions) {
      client.plans.from = -Infinity;
      const query = client.query.bind(client) as (...given: unknown[]) => unknown;
      Object.assign(client, {
        query: (...given: unknown[]) => {
          sent.push(given[0]);
          return query(...given);
        },
      });
    }
    for (const session of sessions) {
      expect((await session.query('select 1 as one', [], { plan: 'generic' })).rows).to.deep.equal([{ one: 1 }]);
      session.release(true);
    }
    const texts = sent.map((one) => (typeof one === 'string' ? one : (one as { text: string }).text));
    expect(texts.filter((text) => text.startsWith('begin'))).to.have.length(3);
    expect(texts.filter((text) => text.includes('discard plans'))).to.have.length(1);
  });
});

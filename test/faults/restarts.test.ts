import { expect } from 'chai';
import { restartInTurn, terminateUnderLoad, type Restarts } from '../../scripts/faults/restarts/rounds.js';
import { createTestDatabase, onServer, type TestDatabase } from '../support/database.js';

/** scripts/faults/restarts.ts does the same more often. */
describe('under the load of 16 connections', function () {
  this.timeout(240_000);
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase({ migrated: true });
  });

  afterEach(() => database.drop());

  function expectNothingLost({ requests, failed }: Restarts): void {
    expect(failed.join('\n')).to.equal('');
    expect(requests).to.be.above(100);
  }

  it('a process that gets SIGTERM answers every request that it was sent, tells every connection that it ends, and exits with 0 within ten seconds', async () => {
    const restarts = await terminateUnderLoad(database.environment, 'all', 2);
    expectNothingLost(restarts);
    expect(restarts.last, 'last answers').to.be.at.least(2 * 16);
  });

  it('two instances behind a balancer that reads /readyz are restarted in turn, and no request fails (server only: the embedded database serves one process)', async function () {
    if (!onServer()) this.skip();
    expectNothingLost(await restartInTurn(database.environment, 1, true));
  });
});

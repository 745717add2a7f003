import { expect } from 'chai';
import { connect } from '#src/platform/database/session/connect.js';
import { migrate, type MigrationReport } from '#src/platform/database/schema/migrate.js';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { JOBS } from '#src/app/jobs.js';
import { startJobQueue } from '#src/platform/queue/queue.js';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { createEmptyDatabase, type EmptyDatabase } from '../../../../support/empty-database.js';

const AT_ONCE = 20;

describe('starting many times at once on an empty database', () => {
  let database: EmptyDatabase;

  before(async () => {
    database = await createEmptyDatabase();
  });

  after(() => database.drop());

  beforeEach(async () => {
    await (await database.connect()).query('drop schema if exists pathmend, analytics, pgboss cascade');
  });

  function expectOnce(reports: readonly MigrationReport[]): void {
    const applied = reports.flatMap((report) => report.applied);
    expect(applied).to.include('0003_projects.sql');
    expect(new Set(applied).size).to.equal(applied.length);
    // One of them did it all; the others waited for it.
    expect(reports.filter((report) => report.applied.length > 0)).to.have.length(1);
    expect(reports.filter((report) => report.repeated.length > 0)).to.have.length(1);
  }

  it(`${AT_ONCE} connections apply each migration once`, async () => {
    const clients = await Promise.all(Array.from({ length: AT_ONCE }, () => database.connect()));
    expectOnce(await Promise.all(clients.map((client) => migrate(client, sqlFolder()))));
  });

  it('several processes make the job queue together, each over the session that it migrated with', async () => {
    const logger = createLogger('error');
    const connections = Array.from({ length: 8 }, () =>
      connect({ url: database.url, max: 1, applicationName: 'test', onIdleError: () => undefined }),
    );
    await Promise.all(
      connections.map(async ({ pool }) => {
        const client = await pool.connect();
        await migrate(client, sqlFolder());
        client.release();
      }),
    );
    const queues = await Promise.all(
      connections.map(async (connection) => {
        const queue = await startJobQueue({ connection, listenUrl: undefined, works: false, jobs: JOBS, logger });
        return { connection, queue };
      }),
    );
    const { rows } = await (await database.connect()).query<{ name: string }>('select name from pgboss.queue');
    expect(rows.map((row) => row.name)).to.include.members(JOBS.map((job) => job.name));
    for (const { connection, queue } of queues) {
      await queue.stop();
      await connection.close();
    }
  });
});

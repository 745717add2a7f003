import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { migrate } from '#src/platform/database/schema/migrate.js';
import { connect, type Connection } from '#src/platform/database/session/connect.js';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { startJobQueue } from '#src/platform/queue/queue.js';
import type { Job } from '#src/platform/queue/job.js';
import { onServer } from '../../../support/database.js';
import { createEmptyDatabase, type EmptyDatabase } from '../../../support/empty-database.js';
import { until } from '../../../support/until.js';

describe('a job of minutes when the service stops', function () {
  this.timeout(60_000);
  let database: EmptyDatabase;
  let connection: Connection;

  before(async () => {
    database = await createEmptyDatabase();
    connection = connect({ url: database.url, max: 4, applicationName: 'test', onIdleError: () => undefined });
    const client = await connection.pool.connect();
    await migrate(client, sqlFolder());
    client.release();
  });

  after(async () => {
    await connection.close();
    await database.drop();
  });

  it('is interrupted at once, waits for its next attempt, and no error is logged', async () => {
    let begun = false;
    const long: Job<{ n: number }> = {
      name: 'long',
      policy: 'standard',
      options: { retryLimit: 2, retryDelay: 60 },
      work: () => ({
        handle: async ([job]) => {
          begun = true;
          // As if each step took a second: the signal is heard between two of them.
          while (job?.signal.aborted === false) await pause(1_000);
          throw new Error('interrupted');
        },
      }),
    };
    const log = new PassThrough();
    let logged = '';
    log.on('data', (chunk: Buffer) => (logged += chunk.toString()));
    const queue = await startJobQueue({
      connection,
      listenUrl: onServer() ? database.url : undefined,
      works: true,
      jobs: [long],
      logger: createLogger('info', log),
    });
    await queue.work(long, undefined as never);
    await queue.enqueueNow(long, [{ n: 1 }]);
    await until('it is in work', () => begun);
    await queue.stop();
    // A job that ends after the stop would log that within a step.
    await pause(1_500);
    expect(logged).to.contain('jobs failed and are tried again');
    expect(logged).to.not.contain('"level":"error"');
    const { rows } = await connection.pool.query<{ state: string }>(`select state from pgboss.job where name = 'long'`);
    expect(rows).to.deep.equal([{ state: 'retry' }]);
  });
});

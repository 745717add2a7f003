import { maintenance } from '#src/operations/maintenance-job.js';
import type { Service } from '#src/app/service.js';
import { query } from './sql.js';
import { until } from './until.js';

/** Queues house-keeping, of which the worker hears at once: by itself it looks every five seconds. */
export async function queueMaintenance({ queue }: Pick<Service, 'queue'>): Promise<void> {
  await queue.enqueueNow(maintenance, [{}]);
  queue.wake(maintenance);
}

/** Waits until no house-keeping is queued or in work. A service queues one when it starts. */
export async function maintenanceDone(service: Service): Promise<void> {
  await until('maintenance is done', async () => {
    const open = await query(
      service,
      "select from pgboss.job where name = $1 and state in ('created', 'active', 'retry')",
      [maintenance.name],
    );
    return open.length === 0;
  });
}

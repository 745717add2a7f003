import type { Service } from '#src/app/service.js';
import { query } from './sql.js';

/** Jobs that wait for another try are tried at once: what a test shows of them does not hang on how long they wait. */
export async function retryNow(service: Service, job: { name: string }): Promise<void> {
  await query(
    service,
    `update pgboss.job set start_after = now() where name = $1 and state = 'retry' and start_after > now()`,
    [job.name],
  );
  service.queue.wake(job);
}

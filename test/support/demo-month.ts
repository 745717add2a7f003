import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#src/base/clock.js';
import { countWaitingPages } from '#src/pages/store/page-counts.js';
import { recordTraffic } from '#src/app/demo/record-traffic.js';
import { prepareDemo } from '#src/app/demo/run-demo.js';
import type { Service } from '#src/app/service.js';

export const END = new Date('2026-04-01T00:00:00Z');

/** A clock that shows noon of the day after the month when it is made. */
export function afterMarch(): Clock {
  const ahead = END.getTime() + 12 * 3_600_000 - Date.now();
  return { now: () => Date.now() + ahead };
}

/** The demo with its traffic of March 2026, all of it stored. Returns the project's id. */
export async function recordMarch(service: Service): Promise<string> {
  const { projectId } = await prepareDemo(service);
  while ((await countWaitingPages(service.db, projectId)) > 0) await sleep(50);
  await recordTraffic(service, { projectId, end: END, retentionDays: 400, signal: new AbortController().signal });
  await eventsStored(service);
  return projectId;
}

/** Resolves when no event is queued or waits for its search. */
export async function eventsStored({ database }: Service): Promise<void> {
  const waits = async (): Promise<boolean> =>
    (
      await database.connection.pool.query(
        `select from pgboss.job where name in ('record-event', 'record-events', 'link-searches') and state in ('created', 'active', 'retry')
          union all select from pathmend.waiting_links limit 1`,
      )
    ).rowCount !== 0;
  while (await waits()) await sleep(50);
}

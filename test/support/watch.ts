import { randomUUID } from 'node:crypto';
import { ensureWeeks } from '#src/platform/database/maintenance.js';
import { listDeliveries, type DeliveryRow } from '#src/watch/store/watches.js';
import { storeEvents } from '#src/events/store-events.js';
import { ScanDetector } from '#src/events/scan-detector.js';
import type { Service } from '#src/app/service.js';
import type { Message } from '#src/watch/alert.js';
import type { Sending } from '#src/watch/channels.js';
import { changeWatch, type WatchChange } from '#src/watch/change-watch.js';
import { watchProject, type WatchDeps } from '#src/watch/watch-projects-job.js';
import type { TestProject } from './service.js';
import { until } from './until.js';

const DAY_MS = 86_400_000;
const PERSON =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
/** The channels that an operator allows by WEBHOOK_NETWORKS and SMTP_URL. */
export const CHANNELS: Sending = { webhookNetworks: ['127.0.0.0/8'], sendsMail: true };
export const OWN_NETWORK = { WEBHOOK_NETWORKS: '127.0.0.0/8', SITE_NETWORKS: '127.0.0.0/8' };
/** A relay that is never reached. */
export const OWN_MAIL = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'pathmend@example.com' };

/** The dependencies with which a worker watches, with a clock that stands at `now`. */
export function watchDeps({ deps, db, queue }: Service, now = Date.now()): WatchDeps {
  return { ...deps, db, queue, clock: { now: () => now } };
}

/** Sets a watch as the console does; returns the webhook's secret. */
export async function watch(service: Service, project: TestProject, change: WatchChange): Promise<string> {
  const deps = watchDeps(service);
  const { secret } = await changeWatch(deps, project.row.project_id, change, CHANNELS);
  return secret ?? '';
}

/** Looks at a project once, as the worker does every five minutes. */
export function look(service: Service, project: TestProject, now?: number): Promise<void> {
  return watchProject(watchDeps(service, now), project.row.project_id);
}

/** Returns the messages of a project, the latest first, once so many have this state. */
export async function deliveries(
  service: Service,
  project: TestProject,
  state: DeliveryRow['state'],
  count: number,
): Promise<DeliveryRow<Message>[]> {
  let rows: DeliveryRow<Message>[] = [];
  await until(`${count} messages are ${state}`, async () => {
    rows = await listDeliveries<Message>(service.db, project.row.project_id, 100);
    return rows.filter((delivery) => delivery.state === state).length >= count;
  });
  return rows;
}

export interface MissedPath {
  at: number;
  path: string;
  /** The browser of a person by default. */
  userAgent?: string;
  referrer?: string;
  outcome?: 'redirected' | 'nothing';
}

/** Stores 404s as the worker does. */
export async function storeMissed(
  service: Service,
  project: TestProject,
  missed: readonly MissedPath[],
): Promise<void> {
  const times = missed.map(({ at }) => at);
  await ensureWeeks(service.db, new Date(Math.min(...times) - DAY_MS), new Date(Math.max(...times) + DAY_MS));
  const deps = {
    ...service.deps,
    db: service.db,
    scans: new ScanDetector(),
    history: { bytesPerDay: 1e12, reportNotKept: () => undefined },
  };
  const events = missed.map(({ at, path, userAgent = PERSON, referrer = null, outcome }) => ({
    data: {
      eventId: randomUUID(),
      projectId: project.row.project_id,
      isTest: false,
      receivedAt: new Date(at).toISOString(),
      event: {
        type: 'not-found' as const,
        rawPath: path,
        origin: 'https://shop.example',
        referrer,
        userAgent,
        visitorIp: null,
        ...(outcome && { outcome }),
      },
    },
  }));
  for (let from = 0; from < events.length; from += 500) await storeEvents(deps, events.slice(from, from + 500));
}

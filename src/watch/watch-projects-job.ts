import { dropOldAlerts, findWatch, findWatchedProjects, lockWatch, setDigestWeek } from './store/watches.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { ofProjects, type Job } from '../platform/queue/job.js';
import type { RuleDeps } from '../rules/rule.js';
import { ALERT_KINDS } from './alert.js';
import { deliverMessage } from './deliver-message-job.js';
import { DETECTORS, MAX_FOUND } from './detect.js';
import { makeDigest, mondayOf, weekBefore } from './digest.js';
import { changeAlerts, sendAlerts, type SendAlertsDeps } from './send-alerts.js';

export type WatchDeps = SendAlertsDeps & RuleDeps;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const KEPT_DAYS = 30;
/** The hour (UTC) on Monday of the digest: nobody reads at night, and the events of Sunday's logs have come in. */
const DIGEST_HOUR = 7;

/** Looks at a project; without one, which is every five minutes, queues that for every project that is watched. */
export const watchProjects: Job<{ projectId?: string }, WatchDeps> = {
  name: 'watch-projects',
  policy: 'short',
  key: ({ projectId }) => projectId ?? 'all',
  options: { notify: true, retryLimit: 2, retryDelay: 30, expireInSeconds: 600, deleteAfterSeconds: 600 },
  work: (deps) => ({
    pollingSeconds: 5,
    batchSize: 10,
    burstWhenBatchFull: true,
    handle: async (jobs) => {
      for (const { data } of jobs) {
        const { projectId } = data;
        if (projectId !== undefined) await watchProject(deps, projectId);
        else await watchAll(deps);
      }
    },
  }),
};

async function watchAll({ db, queue, clock }: WatchDeps): Promise<void> {
  await dropOldAlerts(db, new Date(clock.now() - KEPT_DAYS * DAY_MS));
  await queue.enqueueNow(watchProjects, ofProjects(await findWatchedProjects(db)));
  queue.wake(watchProjects);
}

/** Begins and ends the alerts of one project, and sends its digest when that is due. */
export async function watchProject(deps: WatchDeps, projectId: string): Promise<void> {
  const watch = await findWatch(deps.db, projectId);
  if (!watch) return;
  for (const kind of ALERT_KINDS) {
    const detect = DETECTORS[kind];
    if (!detect || !watch.alerts.includes(kind)) continue;
    const alerts = await detect(deps.db, projectId, deps.clock.now());
    await changeAlerts(deps, projectId, kind, alerts, alerts.length < MAX_FOUND);
  }
  if (watch.digest) await sendDigest(deps, projectId, watch.digest_week);
}

async function sendDigest(deps: WatchDeps, projectId: string, latest: string | null): Promise<void> {
  const now = deps.clock.now();
  // The Monday whose digest is due: until DIGEST_HOUR on Monday, that is still the Monday before.
  const monday = mondayOf(now - DIGEST_HOUR * HOUR_MS);
  if (latest !== null && latest >= monday) return;
  const digest = await makeDigest(deps, projectId, weekBefore(monday));
  await inTransaction(deps.db, async (trx) => {
    const watch = await lockWatch(trx, projectId);
    if (!watch?.digest || (watch.digest_week !== null && watch.digest_week >= monday)) return;
    await setDigestWeek(trx, projectId, monday);
    await sendAlerts(deps, trx, projectId, watch, { type: 'digest', at: new Date(now).toISOString(), digest });
  });
  deps.queue.wake(deliverMessage);
}

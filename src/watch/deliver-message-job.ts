import type { JobWithMetadata } from 'pg-boss';
import type { Clock } from '../base/clock.js';
import type { Db } from '../platform/database/db.js';
import { findProject } from '../projects/store/projects.js';
import { findDelivery, findWatch, recordAttempt, type DeliveryRow } from './store/watches.js';
import { codeOf, messageOf } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Job } from '../platform/queue/job.js';
import type { Message } from './alert.js';
import { CHANNELS, NO_RECEIVERS, Undeliverable, type Senders } from './channels.js';

export interface DeliverDeps {
  db: Db;
  clock: Clock;
  logger: Logger;
  senders: Senders;
}

interface Payload {
  projectId: string;
  deliveryId: string;
}

/** All projects together send so many messages at once, each of them one: a slow receiver holds it for 10 s. */
const AT_ONCE = 4;

/** Sends a message to one channel: eleven times in about six hours, then it has failed. */
export const deliverMessage: Job<Payload, DeliverDeps> = {
  name: 'deliver-message',
  policy: 'standard',
  fairShare: { by: ({ projectId }) => projectId, seconds: 10 },
  group: ({ projectId }) => projectId,
  options: {
    notify: true,
    retryLimit: 10,
    retryDelay: 30,
    retryBackoff: true,
    retryDelayMax: 10_800,
    expireInSeconds: 120,
    deleteAfterSeconds: 3_600,
  },
  work: (deps) => ({
    pollingSeconds: 2,
    localConcurrency: AT_ONCE,
    localGroupConcurrency: 1,
    burstWhenBatchFull: true,
    handle: async (jobs) => {
      for (const job of jobs) await deliver(deps, job);
    },
  }),
};

async function deliver(deps: DeliverDeps, job: JobWithMetadata<Payload>): Promise<void> {
  const { db, clock, logger, senders } = deps;
  const { projectId, deliveryId } = job.data;
  const [delivery, watch, project] = [
    await findDelivery<Message>(db, projectId, deliveryId),
    await findWatch(db, projectId),
    await findProject(db, projectId),
  ];
  if (delivery?.state !== 'waiting' || !project) return;
  const record = (state: DeliveryRow['state'], error: string | null): Promise<void> =>
    recordAttempt(db, projectId, deliveryId, { state, error, at: new Date(clock.now()) });
  try {
    const about = { project: { id: projectId, name: project.name }, consoleUrl: senders.consoleUrl };
    const { channel, message } = delivery;
    const refused = await CHANNELS[channel].send(senders, watch ?? NO_RECEIVERS, message, deliveryId, about);
    await record('delivered', refused.length === 0 ? null : `Refused by the mail server: ${refused.join(', ')}.`);
  } catch (error) {
    const isLast = error instanceof Undeliverable || job.retryCount >= job.retryLimit;
    await record(isLast ? 'failed' : 'waiting', messageOf(error));
    // Receivers, and what a mail server answers about them, are in the console alone.
    const { channel } = delivery;
    logger.warn('a message was not delivered', { project_id: projectId, channel, code: codeOf(error), last: isLast });
    if (!isLast) throw error;
  }
}

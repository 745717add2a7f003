import type { JobWithMetadata } from 'pg-boss';
import type { Clock } from '../base/clock.js';
import type { Db } from '../platform/database/db.js';
import { findProject, type ProjectRow } from '../projects/store/projects.js';
import { findDelivery, findWatch, recordAttempt, type DeliveryRow, type WatchRow } from './store/watches.js';
import { codeOf, messageOf } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Job } from '../platform/queue/job.js';
import { webhookBody, type Message } from './alert.js';
import { createMailer, renderMail, type SendMail } from './mail.js';
import { type PostWebhook, createWebhookPost } from './post-webhook.js';
import type { Config } from '../platform/settings/config.js';

export interface Senders {
  postWebhook: PostWebhook;
  /** Undefined: SMTP_URL is not set. */
  sendMail: SendMail | undefined;
  /** CONSOLE_URL without a slash at its end. */
  consoleUrl: string | undefined;
}

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

/** Trying again would not help. */
class Undeliverable extends Error {}

/** Of all projects together, and each of them one: who is slow holds one of these for ten seconds at most. */
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
  const { db, clock, logger } = deps;
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
    const refused = await send(deps.senders, project, watch, delivery);
    await record('delivered', refused.length === 0 ? null : `Refused by the mail server: ${refused.join(', ')}.`);
  } catch (error) {
    const isLast = error instanceof Undeliverable || job.retryCount >= job.retryLimit;
    await record(isLast ? 'failed' : 'waiting', messageOf(error));
    // Who is told, and what a mail server says of him, is in the console alone.
    const { channel } = delivery;
    logger.warn('a message was not delivered', { project_id: projectId, channel, code: codeOf(error), last: isLast });
    if (!isLast) throw error;
  }
}

/** @returns who does not get it, where others do. */
async function send(
  { postWebhook, sendMail, consoleUrl }: Senders,
  { project_id: id, name }: ProjectRow,
  watch: WatchRow | undefined,
  { delivery_id, channel, message }: DeliveryRow<Message>,
): Promise<string[]> {
  const about = { project: { id, name }, consoleUrl };
  if (channel === 'webhook') {
    if (!watch?.webhook_secret || watch.webhook_url === null) throw new Undeliverable('The webhook was taken away.');
    const { webhook_url: url, webhook_secret: secret } = watch;
    await postWebhook({ url, secret, id: delivery_id, body: webhookBody(message, about) });
    return [];
  }
  if (!sendMail)
    throw new Undeliverable('This server sends no e-mail: its operator has to set SMTP_URL and MAIL_FROM.');
  if (!watch || watch.emails.length === 0) throw new Undeliverable('The addresses were taken away.');
  return sendMail({ id: delivery_id, to: watch.emails, ...renderMail(message, about) });
}

/** What sends this process's messages. */
export function createSenders(config: Pick<Config, 'mail' | 'webhookNetworks' | 'consoleUrl'>): Senders {
  return {
    postWebhook: createWebhookPost(config.webhookNetworks),
    sendMail: config.mail && createMailer(config.mail),
    consoleUrl: config.consoleUrl,
  };
}

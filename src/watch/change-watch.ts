import type { Trx } from '../platform/database/db.js';
import { endAlerts, lockWatch, storeWatch, type WatchRow } from './store/watches.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { invalid } from '../base/errors.js';
import { ALERT_KINDS, type AlertKind } from './alert.js';
import {
  CHANNELS,
  CHANNEL_NAMES,
  channelsOf,
  NO_RECEIVERS,
  type ChannelName,
  type Receivers,
  type Sending,
} from './channels.js';
import { deliverMessage } from './deliver-message-job.js';
import { mondayOf } from './digest.js';
import { mintWebhookSecret, writeWebhookSecret } from './post-webhook.js';
import { sendAlerts, type SendAlertsDeps } from './send-alerts.js';

/** A field that is absent stays as it is. */
export interface WatchChange {
  /** The addresses of each channel, in place of those before. */
  addresses?: { [Name in ChannelName]?: readonly string[] };
  /** A new key for the signatures; the old one is void at once. */
  newSecret?: boolean;
  alerts?: readonly AlertKind[];
  digest?: boolean;
}

const NEW: WatchRow = { ...NO_RECEIVERS, alerts: [...ALERT_KINDS], digest: true, digest_week: null };

/**
 * Changes what a project is watched for and who is notified; a new watch has all alerts and the digest.
 * @param also done in the same transaction.
 * @returns the webhook's secret, where it is new: it is shown this once.
 * @throws ApiError of status 400 that names the column of a channel
 */
export async function changeWatch(
  { db, clock }: Pick<SendAlertsDeps, 'db' | 'clock'>,
  projectId: string,
  change: WatchChange,
  sending: Sending,
  also: (trx: Trx) => Promise<void> = () => Promise.resolve(),
): Promise<{ secret: string | undefined }> {
  const receivers: Partial<Receivers> = {};
  for (const name of CHANNEL_NAMES) {
    const addresses = change.addresses?.[name];
    if (addresses) Object.assign(receivers, await CHANNELS[name].check(addresses, sending));
  }
  const now = clock.now();
  return inTransaction(db, async (trx) => {
    const before = (await lockWatch(trx, projectId)) ?? NEW;
    const after = { ...before, ...receivers };
    const { webhook_url } = after;
    if (webhook_url === null && change.newSecret === true) throw invalid('webhook_url', 'There is no webhook to sign.');
    const kept = change.newSecret === true ? null : before.webhook_secret;
    const webhook_secret = webhook_url === null ? null : (kept ?? mintWebhookSecret());
    const watch = {
      ...after,
      webhook_secret,
      alerts: change.alerts ? [...change.alerts] : before.alerts,
      digest: change.digest ?? before.digest,
      // The first digest is about a week in which the project was watched.
      digest_week: before.digest ? (before.digest_week ?? mondayOf(now)) : mondayOf(now),
    };
    await storeWatch(trx, projectId, watch, new Date(now));
    for (const kind of ALERT_KINDS)
      if (!watch.alerts.includes(kind)) await endAlerts(trx, projectId, kind, [], new Date(now));
    await also(trx);
    const isNew = webhook_secret !== null && webhook_secret !== kept;
    return { secret: isNew ? writeWebhookSecret(webhook_secret) : undefined };
  });
}

/**
 * Sends a test to each channel.
 * @returns how many there are.
 * @throws ApiError of status 400 where there is none, or no more today
 */
export async function testWatch(deps: SendAlertsDeps, projectId: string): Promise<number> {
  const at = new Date(deps.clock.now()).toISOString();
  const messages = await inTransaction(deps.db, async (trx) => {
    const watch = await lockWatch(trx, projectId);
    if (!watch || channelsOf(watch).length === 0)
      throw invalid(undefined, 'Alerts have no receiver yet: add an e-mail address or a webhook first.');
    return sendAlerts(deps, trx, projectId, watch, { type: 'test', at });
  });
  if (messages === 0) throw invalid(undefined, 'The messages of 24 hours are used up.');
  deps.queue.wake(deliverMessage);
  return messages;
}

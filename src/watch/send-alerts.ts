import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import type { Db, Trx } from '../platform/database/db.js';
import { beginAlerts, countDeliveries, endAlerts, insertDelivery, lockWatch, type WatchRow } from './store/watches.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { JobQueue } from '../platform/queue/queue.js';
import type { AlertKind, Cause, FoundAlert, Message } from './alert.js';
import { channelsOf } from './channels.js';
import { deliverMessage } from './deliver-message-job.js';

export interface SendAlertsDeps {
  /** All projects' rows: messages belong to no tenant. */
  db: Db;
  queue: JobQueue;
  clock: Clock;
}

/** The maximum number of messages to a project's channel in 24 hours. The last says that there may be more. */
export const MAX_MESSAGES_A_DAY = 50;
/** A message names so many causes; the others are counted. */
const MAX_CAUSES = 20;
const DAY_MS = 86_400_000;

/**
 * Stores what is wrong now and what has ended, and reports each once, with all causes of one kind in one message. Kinds
 * of alerts that nobody chose for the project are left alone.
 *
 * @param isComplete false: there may be more causes, so no alert ends.
 */
export async function changeAlerts(
  deps: SendAlertsDeps,
  projectId: string,
  kind: AlertKind,
  foundAlerts: readonly FoundAlert[],
  isComplete = true,
): Promise<void> {
  const now = deps.clock.now();
  await inTransaction(deps.db, async (trx) => {
    const watch = await lockWatch(trx, projectId);
    if (!watch?.alerts.includes(kind)) return;
    const began = await beginAlerts(trx, projectId, kind, foundAlerts, new Date(now));
    const keys = foundAlerts.map(({ key }) => key);
    const ended = isComplete ? await endAlerts(trx, projectId, kind, keys, new Date(now)) : [];
    const at = new Date(now).toISOString();
    for (const [type, all] of [['alert.began', began] as const, ['alert.ended', ended] as const]) {
      const causes = all.slice(0, MAX_CAUSES) as Cause[];
      if (all.length > 0) await sendAlerts(deps, trx, projectId, watch, { type, at, kind, count: all.length, causes });
    }
  });
  deps.queue.wake(deliverMessage);
}

/** Queues a message to each channel; the caller wakes the worker after the commit. @returns how many were queued */
export async function sendAlerts(
  { queue, clock }: SendAlertsDeps,
  trx: Trx,
  projectId: string,
  watch: WatchRow,
  message: Message,
): Promise<number> {
  const now = clock.now();
  const payloads: { projectId: string; deliveryId: string }[] = [];
  for (const channel of channelsOf(watch)) {
    const sentToday = await countDeliveries(trx, projectId, channel, new Date(now - DAY_MS));
    // The weekly digest is sent even beyond the limit.
    const isBounded = message.type !== 'digest';
    if (isBounded && sentToday >= MAX_MESSAGES_A_DAY) continue;
    const held: Message = { type: 'alerts.held', at: new Date(now).toISOString() };
    const sent = isBounded && sentToday === MAX_MESSAGES_A_DAY - 1 ? held : message;
    const deliveryId = randomUUID();
    await insertDelivery(trx, projectId, { deliveryId, channel, message: sent, madeAt: new Date(now) });
    payloads.push({ projectId, deliveryId });
  }
  await queue.enqueue(trx, deliverMessage, payloads);
  return payloads.length;
}

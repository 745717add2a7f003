import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { Db, Row, Trx } from '../../platform/database/db.js';
import type { FoundAlert } from '../alert.js';
import { NO_RECEIVERS, type ChannelName, type Receivers } from '../channels.js';
import { textsWithin, type PathSpellings } from '../../platform/database/path-spellings.js';

/** A project is watched for alerts, and its receivers are notified. */
export interface WatchRow extends Receivers {
  alerts: string[];
  digest: boolean;
  /** The Monday before which the latest digest's week ended. */
  digest_week: string | null;
}

const TOLD = sql.join(Object.keys(NO_RECEIVERS).map((name) => sql.ref(name)));
const COLUMNS = sql`${TOLD}, alerts, digest, digest_week::text as digest_week`;

export function findWatch(db: Db, projectId: string): Promise<WatchRow | undefined> {
  return query(sql<WatchRow>`
    select ${COLUMNS} from pathmend.watches where project_id = ${projectId}`).first(db);
}

/** Locks the watch of a project, so that one transaction at a time changes its alerts. */
export function lockWatch(trx: Trx, projectId: string): Promise<WatchRow | undefined> {
  return query(sql<WatchRow>`
    select ${COLUMNS} from pathmend.watches where project_id = ${projectId} for update`).first(trx);
}

export async function storeWatch(trx: Trx, projectId: string, watch: WatchRow, now: Date): Promise<void> {
  const names = [...Object.keys(NO_RECEIVERS), 'alerts', 'digest', 'digest_week'] as (keyof WatchRow)[];
  await sql`
    insert into pathmend.watches (project_id, ${sql.join(names.map((name) => sql.ref(name)))}, changed_at)
    values (${projectId}, ${sql.join(names.map((name) => watch[name]))}, ${now})
    on conflict (project_id) do update
       set ${sql.join(names.map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`))},
           changed_at = excluded.changed_at`.execute(trx);
}

export async function setDigestWeek(trx: Trx, projectId: string, monday: string): Promise<void> {
  await trx.updateTable('pathmend.watches').set({ digest_week: monday }).where('project_id', '=', projectId).execute();
}

export async function findWatchedProjects(db: Db): Promise<string[]> {
  const watches = await db.selectFrom('pathmend.watches').select('project_id').orderBy('project_id').execute();
  return watches.map(({ project_id }) => project_id);
}

export interface AlertRow<Cause = unknown> {
  kind: string;
  cause: Cause;
  began_at: Date;
  ended_at: Date | null;
}

/** Stores alerts that are not open yet; returns which they were. */
export function beginAlerts(trx: Trx, projectId: string, kind: string, alerts: readonly FoundAlert[], now: Date) {
  if (alerts.length === 0) return Promise.resolve([]);
  return query(sql<{ cause: unknown }>`
    insert into pathmend.alerts (project_id, kind, cause_hash, cause, began_at)
    select ${projectId}, ${kind}, sha256(convert_to(a.key, 'UTF8')), a.cause, ${now}
      from jsonb_to_recordset(${JSON.stringify(alerts)}::jsonb) as a (key text, cause jsonb)
    on conflict (project_id, kind, cause_hash) where ended_at is null do nothing
    returning cause`).column(trx, 'cause');
}

/** Ends the open alerts of a kind but those of these keys; returns which they were. */
export function endAlerts(trx: Trx, projectId: string, kind: string, but: readonly string[], now: Date) {
  return query(sql<{ cause: unknown }>`
    update pathmend.alerts set ended_at = ${now}
     where project_id = ${projectId} and kind = ${kind} and ended_at is null
       and cause_hash <> all (array(select sha256(convert_to(k, 'UTF8')) from unnest(${but}::text[]) as k))
    returning cause`).column(trx, 'cause');
}

/** Lists the present alerts, then the latest that ended. */
export function listAlerts<Cause>(db: Db, projectId: string, limit: number): Promise<AlertRow<Cause>[]> {
  return query(sql<AlertRow<Cause>>`
    select kind, cause, began_at, ended_at from pathmend.alerts where project_id = ${projectId}
     order by ended_at is not null, coalesce(ended_at, began_at) desc, alert_id limit ${limit}`).rows(db);
}

/** Drops the alerts that ended, and the messages, of all projects before a day. */
export async function dropOldAlerts(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('pathmend.alerts').where('ended_at', '<', before).execute();
  await db.deleteFrom('pathmend.deliveries').where('made_at', '<', before).execute();
}

const DELIVERY = ['delivery_id', 'channel', 'message', 'state', 'attempts', 'error', 'made_at', 'tried_at'] as const;

/** A message to one channel. */
export type DeliveryRow<Message = unknown> = Pick<Row<'deliveries'>, Exclude<(typeof DELIVERY)[number], 'message'>> & {
  message: Message;
};

export async function insertDelivery(
  trx: Trx,
  projectId: string,
  delivery: { deliveryId: string; channel: ChannelName; message: unknown; madeAt: Date },
): Promise<void> {
  const { deliveryId, channel, message, madeAt } = delivery;
  await sql`
    insert into pathmend.deliveries (project_id, delivery_id, channel, message, state, attempts, made_at)
    values (${projectId}, ${deliveryId}, ${channel}, ${JSON.stringify(message)}, 'waiting', 0, ${madeAt})`.execute(trx);
}

export async function countDeliveries(trx: Trx, projectId: string, channel: ChannelName, since: Date): Promise<number> {
  return query(sql<{ count: number }>`
    select count(*)::int as count from pathmend.deliveries
     where project_id = ${projectId} and channel = ${channel} and made_at > ${since}`).value(trx, 'count', 0);
}

const selectDeliveries = (db: Db, projectId: string) =>
  db.selectFrom('pathmend.deliveries').select(DELIVERY).where('project_id', '=', projectId);

export function findDelivery<Message>(
  db: Db,
  projectId: string,
  deliveryId: string,
): Promise<DeliveryRow<Message> | undefined> {
  const deliveries = selectDeliveries(db, projectId).where('delivery_id', '=', deliveryId);
  return deliveries.$castTo<DeliveryRow<Message>>().executeTakeFirst();
}

/** The outcome of an attempt. @param error null: it was taken. */
export async function recordAttempt(
  db: Db,
  projectId: string,
  deliveryId: string,
  { state, error, at }: { state: DeliveryRow['state']; error: string | null; at: Date },
): Promise<void> {
  await sql`
    update pathmend.deliveries
       set state = ${state}, error = left(${error}, 500), attempts = attempts + 1, tried_at = ${at}
     where project_id = ${projectId} and delivery_id = ${deliveryId}`.execute(db);
}

/** Lists the latest deliveries. */
export function listDeliveries<Message>(db: Db, projectId: string, limit: number): Promise<DeliveryRow<Message>[]> {
  const deliveries = selectDeliveries(db, projectId).orderBy('made_at', 'desc').orderBy('delivery_id').limit(limit);
  return deliveries.$castTo<DeliveryRow<Message>>().execute();
}

/** Erases alerts about a path, and messages that name it. */
export async function erasePathOfMessages(trx: Trx, projectId: string, path: PathSpellings): Promise<void> {
  const strings = (column: string): Sql =>
    sql`jsonb_path_query(${sql.ref(column)}, '$.** ? (@.type() == "string")') as e`;
  const causes = await path.among(trx, textsWithin('alerts', 'cause', projectId));
  await sql`
    delete from pathmend.alerts where project_id = ${projectId}
       and exists (select from ${strings('cause')} where e #>> '{}' = any (${causes}::text[]))`.execute(trx);
  const texts = await path.among(trx, textsWithin('deliveries', 'message', projectId));
  await sql`
    delete from pathmend.deliveries where project_id = ${projectId}
       and exists (select from ${strings('message')} where e #>> '{}' = any (${texts}::text[]))`.execute(trx);
}

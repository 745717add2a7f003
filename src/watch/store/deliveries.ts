import { sql, type Sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { textsWithin, type PathSpellings } from '../../platform/database/path-spellings.js';

export type Channel = 'email' | 'webhook';
export type DeliveryState = 'waiting' | 'delivered' | 'failed';

/** A message to one channel. */
export interface DeliveryRow<Message = unknown> {
  delivery_id: string;
  channel: Channel;
  message: Message;
  state: DeliveryState;
  attempts: number;
  error: string | null;
  made_at: Date;
  tried_at: Date | null;
}

export async function insertDelivery(
  trx: Trx,
  projectId: string,
  delivery: { deliveryId: string; channel: Channel; message: unknown; madeAt: Date },
): Promise<void> {
  const { deliveryId, channel, message, madeAt } = delivery;
  await sql`
    insert into pathmend.deliveries (project_id, delivery_id, channel, message, state, attempts, made_at)
    values (${projectId}, ${deliveryId}, ${channel}, ${JSON.stringify(message)}::jsonb, 'waiting', 0, ${madeAt})`.execute(
    trx,
  );
}

export async function countDeliveries(trx: Trx, projectId: string, channel: Channel, since: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pathmend.deliveries
     where project_id = ${projectId} and channel = ${channel} and made_at > ${since}`.execute(trx);
  return rows[0]?.count ?? 0;
}

export async function findDelivery<Message>(
  db: Db,
  projectId: string,
  deliveryId: string,
): Promise<DeliveryRow<Message> | undefined> {
  const { rows } = await sql<DeliveryRow<Message>>`
    select delivery_id, channel, message, state, attempts, error, made_at, tried_at from pathmend.deliveries
     where project_id = ${projectId} and delivery_id = ${deliveryId}`.execute(db);
  return rows[0];
}

/** What became of an attempt. @param error null: it was taken. */
export async function recordAttempt(
  db: Db,
  projectId: string,
  deliveryId: string,
  { state, error, at }: { state: DeliveryState; error: string | null; at: Date },
): Promise<void> {
  await sql`
    update pathmend.deliveries set state = ${state}, error = left(${error}, 500), attempts = attempts + 1, tried_at = ${at}
     where project_id = ${projectId} and delivery_id = ${deliveryId}`.execute(db);
}

/** The latest. */
export async function listDeliveries<Message>(
  db: Db,
  projectId: string,
  limit: number,
): Promise<DeliveryRow<Message>[]> {
  const { rows } = await sql<DeliveryRow<Message>>`
    select delivery_id, channel, message, state, attempts, error, made_at, tried_at from pathmend.deliveries
     where project_id = ${projectId} order by made_at desc, delivery_id limit ${limit}`.execute(db);
  return rows;
}

/** Erases alerts about a path, and messages that name it. */
export async function erasePathOfMessages(trx: Trx, projectId: string, path: PathSpellings): Promise<void> {
  const strings = (column: string): Sql =>
    sql`jsonb_path_query(${sql.ref(column)}, '$.** ? (@.type() == "string")') as e`;
  const causes = await path.among(trx, textsWithin('alerts', 'cause', projectId));
  await sql`
    delete from pathmend.alerts where project_id = ${projectId}
       and exists (select from ${strings('cause')} where e #>> '{}' = any (${causes}::text[]))`.execute(trx);
  const told = await path.among(trx, textsWithin('deliveries', 'message', projectId));
  await sql`
    delete from pathmend.deliveries where project_id = ${projectId}
       and exists (select from ${strings('message')} where e #>> '{}' = any (${told}::text[]))`.execute(trx);
}

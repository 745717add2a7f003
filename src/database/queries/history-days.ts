import { sql, type RawBuilder } from 'kysely';
import type { Db, Trx } from '../db.js';

/**
 * What a day's history is counted by; each has a limit of its own, so that neither waits for the other's transaction.
 */
export type HistoryKind = 'searches' | 'events';

/** Rows of one project and UTC day that are to be stored together. */
export interface HistoryGroup {
  project_id: string;
  day: string;
  rows: number;
  bytes: number;
}

/** What of a project's day came beyond its limit. */
export interface NotKept {
  project_id: string;
  day: string;
  rows: number;
  /** Nothing of this day had come beyond it before. */
  first: boolean;
}

/**
 * Groups what arrives by project and UTC day, in an order in which two statements wait for each other and do not
 * dead-lock.
 */
export function groupByDay(rows: readonly { project_id: string; at: string; bytes: number }[]): HistoryGroup[] {
  const groups = new Map<string, HistoryGroup>();
  for (const { project_id, at, bytes } of rows) {
    const day = at.slice(0, 10);
    const key = `${project_id} ${day}`;
    const group = groups.get(key) ?? { project_id, day, rows: 0, bytes: 0 };
    groups.set(key, group);
    group.rows += 1;
    group.bytes += bytes;
  }
  return [...groups.keys()].sort().map((key) => groups.get(key) as HistoryGroup);
}

/**
 * Counts groups against what a project may keep of a day, as the query of a `with`: (project_id, day, rows, fits,
 * first). A group is stored whole or not at all; from the first that does not fit, nothing more of that day is.
 * Projects that are gone have no row.
 */
export function countedDays(what: HistoryKind, groups: readonly HistoryGroup[], maxBytes: number): RawBuilder<unknown> {
  return sql`
    insert into pathmend.history_days as h (project_id, day, what, bytes, stored, not_kept)
    select g.project_id, g.day, ${what}::text, g.bytes,
           case when g.bytes <= ${maxBytes}::bigint then g.rows else 0 end,
           case when g.bytes <= ${maxBytes}::bigint then 0 else g.rows end
      from jsonb_to_recordset(${JSON.stringify(groups)}::jsonb)
           as g (project_id uuid, day date, rows bigint, bytes bigint)
      join pathmend.projects p on p.project_id = g.project_id
     order by g.project_id, g.day
    on conflict (project_id, day, what) do update set
      bytes = h.bytes + excluded.bytes,
      stored = h.stored + case when h.bytes + excluded.bytes <= ${maxBytes}::bigint
                               then excluded.stored + excluded.not_kept else 0 end,
      not_kept = h.not_kept + case when h.bytes + excluded.bytes <= ${maxBytes}::bigint
                                   then 0 else excluded.stored + excluded.not_kept end
    returning project_id, day, bytes <= ${maxBytes}::bigint as fits, not_kept`;
}

/** Those of {@link countedDays}, as \`counted\`, that do not fit. */
export function selectNotKept(groups: readonly HistoryGroup[]): RawBuilder<NotKept> {
  return sql<NotKept>`
    select c.project_id, c.day::text as day, g.rows::float8 as rows, c.not_kept = g.rows as first
      from counted c
      join jsonb_to_recordset(${JSON.stringify(groups)}::jsonb) as g (project_id uuid, day date, rows bigint)
        on g.project_id = c.project_id and g.day = c.day
     where not c.fits`;
}

/** Counts events, in the transaction that stores those that fit. */
export async function countEvents(trx: Trx, groups: readonly HistoryGroup[], maxBytes: number): Promise<NotKept[]> {
  const { rows } =
    await sql<NotKept>`with counted as (${countedDays('events', groups, maxBytes)}) ${selectNotKept(groups)}`.execute(
      trx,
    );
  return rows;
}

/** An event that the database refuses, and why. */
export interface RefusedEvent {
  project_id: string;
  event_id: string;
  received_at: string;
  reason: string;
  event: unknown;
}

/** Sets an event aside, if its project's day has room for it. */
export async function insertRefusedEvent(db: Db, refused: RefusedEvent, maxBytes: number): Promise<void> {
  const group = {
    project_id: refused.project_id,
    at: refused.received_at,
    bytes: Buffer.byteLength(JSON.stringify(refused)),
  };
  await sql`
    with counted as (${countedDays('events', groupByDay([group]), maxBytes)})
    insert into pathmend.refused_events (project_id, event_id, received_at, reason, event)
    select i.project_id, i.event_id, i.received_at, i.reason, i.event
      from jsonb_to_record(${JSON.stringify(refused)}::jsonb) as i
           (project_id uuid, event_id uuid, received_at timestamptz, reason text, event jsonb)
      join counted c on c.project_id = i.project_id and c.fits
    on conflict do nothing`.execute(db);
}

/** What of the history has no partitions, and goes with them. */
export async function dropOldDays(db: Db, before: Date): Promise<void> {
  await sql`delete from pathmend.history_days where day < (${before}::timestamptz at time zone 'UTC')::date`.execute(
    db,
  );
  await sql`delete from pathmend.refused_events where received_at < ${before}`.execute(db);
}

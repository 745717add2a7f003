import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { ProjectRange } from '../../platform/database/project-range.js';

/** Each kind has its own count and limit for a day, so that neither waits for the other's transaction. */
export type HistoryKind = 'searches' | 'events';

/** The rows of one project and UTC day in one statement. */
interface HistoryGroup {
  project_id: string;
  day: string;
  rows: number;
  bytes: number;
}

/** The rows beyond a project's limit for a day. */
export interface OverLimit {
  project_id: string;
  day: string;
  rows: number;
  /** Whether these are the day's first rows beyond the limit. */
  first: boolean;
}

/** Groups rows by project and UTC day. The groups are sorted, so that two statements do not deadlock. */
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
 * A query for a `with`, which adds groups to the days' counts and returns (project_id, day, fits, not_kept). A group is
 * stored completely or not at all. After the first that does not fit, no more groups of that day are stored. Deleted
 * projects have no row; one that is being deleted waits for this transaction, or this waits for it, so that nothing
 * is stored behind its back.
 */
export function countDays(what: HistoryKind, groups: readonly HistoryGroup[], maxBytes: number): Sql {
  return sql`
    insert into pathmend.history_days as h (project_id, day, what, bytes, stored, not_kept)
    select g.project_id, g.day, ${what}::text, g.bytes,
           case when g.bytes <= ${maxBytes}::bigint then g.rows else 0 end,
           case when g.bytes <= ${maxBytes}::bigint then 0 else g.rows end
      from jsonb_to_recordset(${JSON.stringify(groups)}::jsonb)
           as g (project_id uuid, day date, rows bigint, bytes bigint)
      join pathmend.projects p on p.project_id = g.project_id
     order by g.project_id, g.day
       for key share of p
    on conflict (project_id, day, what) do update set
      bytes = h.bytes + excluded.bytes,
      stored = h.stored + case when h.bytes + excluded.bytes <= ${maxBytes}::bigint
                               then excluded.stored + excluded.not_kept else 0 end,
      not_kept = h.not_kept + case when h.bytes + excluded.bytes <= ${maxBytes}::bigint
                                   then 0 else excluded.stored + excluded.not_kept end
    returning project_id, day, bytes <= ${maxBytes}::bigint as fits, not_kept`;
}

/** A query of the groups that do not fit. `counted`: the name of {@link countDays} in the `with`. */
export function selectOverLimit(groups: readonly HistoryGroup[]): Sql<OverLimit> {
  return sql<OverLimit>`
    select c.project_id, c.day::text as day, g.rows::float8 as rows, c.not_kept = g.rows as first
      from counted c
      join jsonb_to_recordset(${JSON.stringify(groups)}::jsonb) as g (project_id uuid, day date, rows bigint)
        on g.project_id = c.project_id and g.day = c.day
     where not c.fits`;
}

/** Must run in the transaction that stores the events. Returns those that must not be stored. */
export function countEvents(trx: Trx, groups: readonly HistoryGroup[], maxBytes: number): Promise<OverLimit[]> {
  return query(sql<OverLimit>`with counted as (${countDays('events', groups, maxBytes)}) ${selectOverLimit(groups)}
  `).rows(trx);
}

interface RefusedEvent {
  project_id: string;
  event_id: string;
  received_at: string;
  reason: string;
  event: unknown;
}

/** Stores a refused event, if it is within the project's limit for the day. */
export async function insertRefusedEvent(db: Db, refused: RefusedEvent, maxBytes: number): Promise<void> {
  const { project_id, received_at: at } = refused;
  const group = { project_id, at, bytes: Buffer.byteLength(JSON.stringify(refused)) };
  await sql`
    with counted as (${countDays('events', groupByDay([group]), maxBytes)})
    insert into pathmend.refused_events (project_id, event_id, received_at, reason, event)
    select i.project_id, i.event_id, i.received_at, i.reason, i.event
      from jsonb_to_record(${JSON.stringify(refused)}::jsonb) as i
           (project_id uuid, event_id uuid, received_at timestamptz, reason text, event jsonb)
      join counted c on c.project_id = i.project_id and c.fits
    on conflict do nothing`.execute(db);
}

/** Deletes old rows of the history's tables without partitions. */
export async function dropOldDays(db: Db, before: Date, { from, to }: ProjectRange): Promise<void> {
  const inRange = sql<boolean>`project_id between ${from} and ${to}`;
  const day = sql<Date>`(${before}::timestamptz at time zone 'UTC')::date`;
  await db.deleteFrom('pathmend.history_days').where(inRange).where('day', '<', day).execute();
  await db.deleteFrom('pathmend.refused_events').where(inRange).where('received_at', '<', before).execute();
}

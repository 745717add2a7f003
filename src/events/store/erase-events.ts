import { sql, type Sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { Erasure } from '../../platform/database/path-spellings.js';

/** Erases events that are not stored yet, and those that were refused. `busy`: some are being stored at this moment. */
export async function eraseQueued(db: Db, projectId: string, erasure: Erasure) {
  const { rows: queue } = await sql`select where to_regclass('pgboss.job') is not null`.execute(db);
  // The events of a job: one, or many of several projects (record-events-job.ts).
  const events = sql`jsonb_array_elements(coalesce(j.data -> 'events', jsonb_build_array(j.data))) with ordinality as e (event, n)`;
  const isOwn = sql`e.event ->> 'projectId' = ${projectId}`;
  const ofJobs = sql`
    j.name in ('record-event', 'record-events')
    and (j.data ->> 'projectId' = ${projectId}
         or j.data @> jsonb_build_object('events', jsonb_build_array(jsonb_build_object('projectId', ${projectId}::text))))`;
  const textsOf = (event: Sql): Sql =>
    sql`unnest(array[${event} #>> '{event,rawPath}', ${event} #>> '{event,referrer}'])`;
  const texts =
    'ip' in erasure
      ? []
      : [
          ...(await erasure.path.among(
            db,
            sql`select ${textsOf(sql`r.event`)} from pathmend.refused_events r where project_id = ${projectId}`,
          )),
          ...(queue.length === 0
            ? []
            : await erasure.path.among(
                db,
                sql`select ${textsOf(sql`e.event`)} from pgboss.job j, ${events} where ${ofJobs} and ${isOwn}`,
              )),
        ];
  const isMeantEvent = (event: Sql): Sql =>
    'ip' in erasure
      ? sql`(${event} #>> '{event,visitorIp}')::inet && ${erasure.ip}::inet`
      : sql`${event} #>> '{event,rawPath}' = any (${texts}::text[])`;
  const { rows: refused } = await sql`
    delete from pathmend.refused_events r where project_id = ${projectId} and ${isMeantEvent(sql`r.event`)} returning 1
  `.execute(db);
  if (queue.length === 0) return { queued: refused.length, busy: false };
  const isErased = sql`(${isOwn} and coalesce(${isMeantEvent(sql`e.event`)}, false))`;
  const comesFromThere = sql`(${isOwn} and coalesce(e.event #>> '{event,referrer}' = any (${texts}::text[]), false))`;
  // Jobs that are done stay a while: their events are erased, too, and do not count.
  const { rows } = await sql<{ queued: number; busy: boolean }>`
    with found as materialized (
      select j.name, j.id, j.state in ('created', 'retry') as waits,
             count(*) filter (where ${isErased}) as erased,
             jsonb_agg(case when ${comesFromThere} then jsonb_set(e.event, '{event,referrer}', 'null') else e.event end order by e.n)
               filter (where not ${isErased}) as kept
        from pgboss.job j, ${events}
       where ${ofJobs}
       group by j.name, j.id, j.state
      having bool_or(${isErased} or ${comesFromThere})),
    emptied as (
      delete from pgboss.job j using found f
       where j.name = f.name and j.id = f.id and j.state <> 'active' and f.kept is null returning f.waits, f.erased),
    changed as (
      update pgboss.job j set data = case when j.data ? 'events' then jsonb_set(j.data, '{events}', f.kept) else f.kept -> 0 end
        from found f
       where j.name = f.name and j.id = f.id and j.state <> 'active' and f.kept is not null returning f.waits, f.erased),
    touched as (table emptied union all table changed)
    select coalesce((select sum(erased) from touched where waits), 0)::int as queued,
           (select count(*) from found) > (select count(*) from touched) as busy`.execute(db);
  return { queued: refused.length + (rows[0]?.queued ?? 0), busy: rows[0]?.busy ?? false };
}

/** All rows are in one week's partition, such as `2026w12`. */
interface RowsOfWeek {
  projectId: string;
  partition: string;
  ids: readonly string[];
}

const weekly = (table: 'not_founds' | 'clicks', partition: string): Sql => sql.table(`pathmend.${table}_${partition}`);

/** Erases 404s. `links`: those of which only the referrer is erased. */
export async function eraseNotFounds(trx: Trx, { projectId, partition, ids }: RowsOfWeek, links: readonly string[]) {
  const table = weekly('not_founds', partition);
  if (links.length > 0)
    await sql`
      update ${table} set referrer = null where project_id = ${projectId} and event_id = any (${links}::uuid[])
    `.execute(trx);
  await sql`delete from ${table} where project_id = ${projectId} and event_id = any (${ids}::uuid[])`.execute(trx);
}

export async function eraseClicks(trx: Trx, { projectId, partition, ids }: RowsOfWeek): Promise<void> {
  await sql`
    delete from ${weekly('clicks', partition)} where project_id = ${projectId} and event_id = any (${ids}::uuid[])
  `.execute(trx);
}

/** Erases the clicks on these searches; returns how many. */
export async function eraseClicksOn(trx: Trx, projectId: string, searchIds: readonly string[]): Promise<number> {
  const { rows } = await sql`
    delete from pathmend.clicks where project_id = ${projectId} and search_id = any (${searchIds}::uuid[])
    returning 1`.execute(trx);
  return rows.length;
}

import { sql, type Sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import { isLockTimeout, withLockTimeout } from '../../platform/database/session/connect.js';
import { requireUuid } from '../../text/uuid.js';
import { KINDS, SCHEMA } from './segment-tables.js';

/** Of the indexes that earlier releases made on the shared tables. */
const EARLIER_PREFIX = 'seg_';

const LOCK_TIMEOUT_MS = 1_000;

/**
 * Drops what a project has of segments that are not in use: merged, or never finished. What somebody reads for long is
 * left for the next time.
 */
export async function dropUnusedSegments(db: Db, projectId: string): Promise<void> {
  const id = requireUuid(projectId).replaceAll('-', '');
  const { rows } = await sql<{ name: string; kind: string }>`
    select n.nspname || '.' || c.relname as name, c.relkind as kind
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
     where (n.nspname = ${SCHEMA} and c.relkind = 'r' and split_part(c.relname, '_', 2) = ${id}
            and split_part(c.relname, '_', 3) <> all (array(
              select o.segment::text from pathmend.own_indexes o where o.project_id = ${projectId} and o.pages is not null)))
        or (n.nspname = 'pathmend' and c.relkind = 'i' and starts_with(c.relname, ${`${EARLIER_PREFIX}${id}_`})
            and split_part(c.relname, '_', 4) <> all (array(
              select o.segment::text from pathmend.own_indexes o where o.project_id = ${projectId} and o.pages is null)))`.execute(
    db,
  );
  const tables = rows.filter(({ kind }) => kind === 'r').map(({ name }) => sql.table(name));
  if (tables.length > 0) await dropUnread(db, sql`drop table if exists ${sql.join(tables)}`);
  for (const { name } of rows.filter(({ kind }) => kind === 'i'))
    await sql`drop index concurrently if exists ${sql.table(name)}`.execute(db);
}

async function dropUnread(db: Db, drop: Sql): Promise<void> {
  try {
    await withLockTimeout(db, LOCK_TIMEOUT_MS, (trx) => drop.execute(trx));
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
  }
}

/** Deleted projects of which segments are left. */
export async function findProjectsWithOrphanedSegments(db: Db): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select distinct split_part(c.relname, '_', 2)::uuid::text as project_id
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
     where ((n.nspname = ${SCHEMA} and c.relkind = 'r') or (n.nspname = 'pathmend' and c.relkind = 'i'))
       and c.relname ~ ${`^(${KINDS.join('|')}|${EARLIER_PREFIX.slice(0, -1)})_[0-9a-f]{32}_`}
       and not exists (select from pathmend.projects p
                        where replace(p.project_id::text, '-', '') = split_part(c.relname, '_', 2))`.execute(db);
  return rows.map((row) => row.project_id);
}

/** Segments whose tables are not there, such as after a restore without them: they are built anew. */
export async function forgetLostSegments(db: Db, projectId: string): Promise<void> {
  await sql`
    delete from pathmend.own_indexes o
     where o.project_id = ${projectId} and o.pages is not null
       and exists (select from unnest(${KINDS}::text[]) as kind
                    where to_regclass(format('%I.%I', ${SCHEMA}::text, kind || '_' || replace(o.project_id::text, '-', '') || '_' || o.segment)) is null)`.execute(
    db,
  );
}

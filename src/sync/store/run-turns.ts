import { firstOf, hasRows, rowsOf, valueOf, sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { MAX_SYNC_RUNS, RUN_COLUMNS, type SourcePreview, type SyncEnd, type SyncRunRow } from './sync-runs.js';

/** A run without a heartbeat for longer was cut off. */
const MAX_SILENT_SECONDS = 30;
/** Attempts of a worker's run that is cut off. */
const MAX_TRIES = 2;
/** Attempts of a run whose process was shut down in good order. */
const MAX_RELEASES = 10;
const CUT_OFF = 'It was cut off.';

const isSilent = sql`heard_at < now() - make_interval(secs => ${MAX_SILENT_SECONDS})`;
/** It was cut off, and a worker may try it again. */
const canRetry = sql`${isSilent} and tries between 1 and ${MAX_TRIES - 1}`;

interface NewRun {
  source: string;
  prune: boolean;
  dryRun: boolean;
  preview: boolean;
  /** Who requested it. */
  by: string;
  at: Date;
  /** True on the command line: it begins at once instead of waiting for a worker. */
  begins: boolean;
}

/**
 * Stores a run, and drops the oldest ones.
 * @returns its id; undefined if another run of the project is active or waits
 */
export async function addSyncRun(
  trx: Trx,
  projectId: string,
  { source, prune, dryRun, preview, by, at, begins }: NewRun,
): Promise<string | undefined> {
  const { rows } = await sql<{ run_id: string }>`
    insert into pathmend.sync_runs (project_id, source, prune, dry_run, preview, asked_by, began_at, heard_at)
    values (${projectId}, ${source}, ${prune}, ${dryRun}, ${preview}, ${by}, ${at},
            case when ${begins}::boolean then now() end)
    on conflict do nothing returning run_id`.execute(trx);
  await sql`
    delete from pathmend.sync_runs where project_id = ${projectId}
       and run_id in (select run_id from pathmend.sync_runs where project_id = ${projectId}
                       order by began_at desc, run_id desc offset ${MAX_SYNC_RUNS})`.execute(trx);
  return rows[0]?.run_id;
}

/** Ends runs of a project that were cut off; with `isAlone` (no other process on the database), all open runs. */
export async function endCutOffRuns(
  trx: Trx,
  projectId: string,
  { at, isAlone, except }: { at: Date; isAlone: boolean; except?: string },
): Promise<void> {
  await sql`
    update pathmend.sync_runs set ended_at = ${at}, outcome = 'failed', problem = ${CUT_OFF}
     where project_id = ${projectId} and ended_at is null and run_id is distinct from ${except ?? null}::uuid
       and heard_at is not null and (${isAlone}::boolean or ${isSilent})`.execute(trx);
}

/**
 * Begins a run that waits, or was cut off.
 * @returns undefined if it has ended, is active, was cut off too often, or another run of the project is active
 */
export async function beginSyncRun(trx: Trx, projectId: string, runId: string, at: Date) {
  return firstOf(
    trx,
    sql<SyncRunRow>`
    update pathmend.sync_runs r set began_at = ${at}, heard_at = now(), tries = tries + 1, report = '{}'
     where project_id = ${projectId} and run_id = ${runId} and ended_at is null
       and (heard_at is null or ${canRetry})
       and (preview or not exists (select from pathmend.sync_runs o
                                    where o.project_id = r.project_id and o.run_id <> r.run_id and o.ended_at is null
                                      and o.heard_at is not null and not o.dry_run and not o.preview))
    returning ${RUN_COLUMNS}`,
  );
}

type Turn = Pick<SyncRunRow, 'run_id' | 'tries'>;

/** Stores a heartbeat and the progress of a run. False: it was cancelled, or another process took it over. */
export async function recordHeartbeat(
  db: Db,
  projectId: string,
  { run_id, tries }: Turn,
  report: Readonly<Record<string, number>>,
): Promise<boolean> {
  return hasRows(
    db,
    sql<{ run_id: string }>`
    update pathmend.sync_runs set heard_at = now(), report = ${JSON.stringify(report)}::jsonb
     where project_id = ${projectId} and run_id = ${run_id} and tries = ${tries} and ended_at is null
    returning run_id`,
  );
}

/** Ends a run; has no effect on one that has ended. */
export async function endSyncRun(
  db: Db,
  projectId: string,
  { run_id, tries }: Turn,
  { outcome, report, problem, refusals, left_out, seen }: SyncEnd & { seen: SourcePreview | null },
  at: Date,
): Promise<void> {
  await sql`
    update pathmend.sync_runs
       set ended_at = ${at}, outcome = ${outcome}, report = ${JSON.stringify(report)}::jsonb, problem = ${problem},
           refusals = ${JSON.stringify(refusals)}::jsonb, left_out = ${JSON.stringify(left_out)}::jsonb,
           seen = ${seen && JSON.stringify(seen)}::jsonb
     where project_id = ${projectId} and run_id = ${run_id} and tries = ${tries} and ended_at is null`.execute(db);
}

/** Releases a run, so that another process begins it again. */
export async function releaseSyncRun(db: Db, projectId: string, { run_id, tries }: Turn): Promise<void> {
  await sql`
    update pathmend.sync_runs set heard_at = null
     where project_id = ${projectId} and run_id = ${run_id} and tries = ${tries} and tries < ${MAX_RELEASES} and ended_at is null
  `.execute(db);
}

/** Cancels the open runs of a project's source; their processes notice at the next {@link recordHeartbeat}. */
export async function cancelSyncRuns(trx: Trx, projectId: string, why: string, at: Date): Promise<void> {
  await sql`
    update pathmend.sync_runs set ended_at = ${at}, outcome = 'failed', problem = ${why}
     where project_id = ${projectId} and ended_at is null
       and (tries > 0 or heard_at is null)`.execute(trx);
}

/** The open run of a project's source; a waiting one before an active one, since it begins later. */
export async function findOpenRun(db: Db, projectId: string, preview: boolean): Promise<string | undefined> {
  return valueOf(
    db,
    sql<{ run_id: string }>`
    select run_id from pathmend.sync_runs
     where project_id = ${projectId} and preview = ${preview} and ended_at is null
       and (tries > 0 or heard_at is null)
     order by heard_at desc nulls first limit 1`,
    'run_id',
    undefined,
  );
}

type OpenRun = Pick<SyncRunRow, 'run_id' | 'preview'> & { project_id: string };

/** Runs of all projects that wait for a worker, oldest first. */
export async function findOpenRuns(db: Db, limit: number): Promise<OpenRun[]> {
  return rowsOf(
    db,
    sql<OpenRun>`
    select project_id, run_id, preview from pathmend.sync_runs
     where ended_at is null and (heard_at is null or (${canRetry}))
     order by began_at limit ${limit}`,
  );
}

/** Ends runs of all projects that were cut off too often. */
export async function endLostRuns(db: Db, at: Date): Promise<void> {
  await sql`
    update pathmend.sync_runs set ended_at = ${at}, outcome = 'failed', problem = ${CUT_OFF}
     where ended_at is null and ${isSilent} and not (${canRetry})`.execute(db);
}

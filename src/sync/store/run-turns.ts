import { sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { MAX_SYNC_RUNS, RUN_COLUMNS, type SourcePreview, type SyncEnd, type SyncRunRow } from './sync-runs.js';

/** What is silent for longer was cut off: another run may take its turn. */
const MAX_SILENT_SECONDS = 30;
/** Of a run of the worker: it is begun once more where it was cut off. */
const MAX_TRIES = 2;
/** And where its process was stopped in good order: less often than forever. */
const MAX_LEFT = 10;
const CUT_OFF = 'It was cut off.';

const isSilent = sql`heard_at < now() - make_interval(secs => ${MAX_SILENT_SECONDS})`;
/** It was cut off, and a worker takes it once more. */
const isTakenAgain = sql`${isSilent} and tries between 1 and ${MAX_TRIES - 1}`;

interface NewRun {
  source: string;
  prune: boolean;
  dryRun: boolean;
  preview: boolean;
  /** Who asked for it. */
  by: string;
  at: Date;
  /** At once, on the command line; else it waits for a worker. */
  begins: boolean;
}

/**
 * Stores a run, and drops the oldest ones.
 * @returns its id; undefined, where one that changes the project's pages runs already, or one waits.
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

/** Ends runs of a project that were cut off. @param isAlone nobody else is at the database: all that did not end */
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
 * @returns undefined, where it has ended, runs already, was cut off too often, or another one has the project's turn.
 */
export async function beginSyncRun(
  trx: Trx,
  projectId: string,
  runId: string,
  at: Date,
): Promise<SyncRunRow | undefined> {
  const { rows } = await sql<SyncRunRow>`
    update pathmend.sync_runs r set began_at = ${at}, heard_at = now(), tries = tries + 1, report = '{}'
     where project_id = ${projectId} and run_id = ${runId} and ended_at is null
       and (heard_at is null or ${isTakenAgain})
       and (preview or not exists (select from pathmend.sync_runs o
                                    where o.project_id = r.project_id and o.run_id <> r.run_id and o.ended_at is null
                                      and o.heard_at is not null and not o.dry_run and not o.preview))
    returning ${RUN_COLUMNS}`.execute(trx);
  return rows[0];
}

type Turn = Pick<SyncRunRow, 'run_id' | 'tries'>;

/** Says that a run goes on, and how far it is. False: it was ended, or another process has it. */
export async function recordHeartbeat(
  db: Db,
  projectId: string,
  { run_id, tries }: Turn,
  report: Readonly<Record<string, number>>,
): Promise<boolean> {
  const { rows } = await sql<{ run_id: string }>`
    update pathmend.sync_runs set heard_at = now(), report = ${JSON.stringify(report)}::jsonb
     where project_id = ${projectId} and run_id = ${run_id} and tries = ${tries} and ended_at is null
    returning run_id`.execute(db);
  return rows.length === 1;
}

/** A run that was ended before stays as it is. */
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

/** Gives a run back that another process is to begin anew. */
export async function releaseSyncRun(db: Db, projectId: string, { run_id, tries }: Turn): Promise<void> {
  await sql`
    update pathmend.sync_runs set heard_at = null
     where project_id = ${projectId} and run_id = ${run_id} and tries = ${tries} and tries < ${MAX_LEFT} and ended_at is null`.execute(
    db,
  );
}

/** Ends what waits or runs of a project's source; a process that is at it hears of it (recordHeartbeat). */
export async function cancelSyncRuns(trx: Trx, projectId: string, why: string, at: Date): Promise<void> {
  await sql`
    update pathmend.sync_runs set ended_at = ${at}, outcome = 'failed', problem = ${why}
     where project_id = ${projectId} and ended_at is null and asked_by is not null
       and (tries > 0 or heard_at is null)`.execute(trx);
}

/** The one of a project that waits or runs for its source: where both, the one that waits, since it begins later. */
export async function findOpenRun(db: Db, projectId: string, preview: boolean): Promise<string | undefined> {
  const { rows } = await sql<{ run_id: string }>`
    select run_id from pathmend.sync_runs
     where project_id = ${projectId} and preview = ${preview} and ended_at is null and asked_by is not null
       and (tries > 0 or heard_at is null)
     order by heard_at desc nulls first limit 1`.execute(db);
  return rows[0]?.run_id;
}

export interface OpenRun {
  project_id: string;
  run_id: string;
  preview: boolean;
}

/** Runs of all projects that a worker has to take, the longest waiting first. */
export async function findOpenRuns(db: Db, limit: number): Promise<OpenRun[]> {
  const { rows } = await sql<OpenRun>`
    select project_id, run_id, preview from pathmend.sync_runs
     where ended_at is null and asked_by is not null and (heard_at is null or (${isTakenAgain}))
     order by began_at limit ${limit}`.execute(db);
  return rows;
}

/** Ends runs of all projects that were cut off and are not taken again. */
export async function endLostRuns(db: Db, at: Date): Promise<void> {
  await sql`
    update pathmend.sync_runs set ended_at = ${at}, outcome = 'failed', problem = ${CUT_OFF}
     where ended_at is null and asked_by is not null and ${isSilent} and not (${isTakenAgain})`.execute(db);
}

import { NOW, sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { MAX_SYNC_RUNS, RUN_COLUMNS, type SourcePreview, type SyncEnd, type SyncRunRow } from './sync-runs.js';

/** A run without a heartbeat for longer than this was cut off. */
const MAX_SILENT_SECONDS = 30;
/** The max attempts of a worker's run that is cut off. */
const MAX_TRIES = 2;
/** The max attempts of a run whose processes were shut down in good order. */
const MAX_RELEASES = 10;
const CUT_OFF = 'It was cut off.';

const isSilent = sql<boolean>`heard_at < now() - make_interval(secs => ${MAX_SILENT_SECONDS})`;
/** The condition for a run that was cut off and that a worker may try again. */
const canRetry = sql<boolean>`(${isSilent} and tries between 1 and ${MAX_TRIES - 1})`;

interface NewRun {
  source: string;
  prune: boolean;
  dryRun: boolean;
  preview: boolean;
  /** The requester: the name of a person, the schedule or the command line. */
  by: string;
  at: Date;
  /** Whether the run begins at once, as on the command line, instead of waiting for a worker. */
  begins: boolean;
}

/** Stores a run and drops the oldest ones. Returns its id; undefined if another run is active or waits. */
export async function addSyncRun(
  trx: Trx,
  projectId: string,
  { source, prune, dryRun, preview, by, at, begins }: NewRun,
): Promise<string | undefined> {
  const added = await trx
    .insertInto('pathmend.sync_runs')
    .values({
      project_id: projectId,
      source,
      prune,
      dry_run: dryRun,
      preview,
      asked_by: by,
      began_at: at,
      heard_at: begins ? NOW : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('run_id')
    .executeTakeFirst();
  const runs = trx.selectFrom('pathmend.sync_runs').select('run_id').where('project_id', '=', projectId);
  const oldest = runs.orderBy('began_at', 'desc').orderBy('run_id', 'desc').offset(MAX_SYNC_RUNS);
  await trx
    .deleteFrom('pathmend.sync_runs')
    .where('project_id', '=', projectId)
    .where('run_id', 'in', oldest)
    .execute();
  return added?.run_id;
}

const failRuns = (db: Db, at: Date, problem: string) =>
  db.updateTable('pathmend.sync_runs').set({ ended_at: at, outcome: 'failed' as const, problem });

/** Ends runs of a project that were cut off; with `isAlone` (no other process on the database), all open runs. */
export async function endCutOffRuns(
  trx: Trx,
  projectId: string,
  { at, isAlone, except }: { at: Date; isAlone: boolean; except?: string },
): Promise<void> {
  await failRuns(trx, at, CUT_OFF)
    .where('project_id', '=', projectId)
    .where('ended_at', 'is', null)
    .where('run_id', 'is distinct from', except ?? null)
    .where('heard_at', 'is not', null)
    .where(sql<boolean>`(${isAlone}::boolean or ${isSilent})`)
    .execute();
}

/** Begins a run that waits or was cut off; undefined if it ended, was cut off too often, or it or another is active. */
export async function beginSyncRun(trx: Trx, projectId: string, runId: string, at: Date) {
  return trx
    .updateTable('pathmend.sync_runs as r')
    .set({ began_at: at, heard_at: NOW, tries: sql<number>`tries + 1`, report: '{}' })
    .where('project_id', '=', projectId)
    .where('run_id', '=', runId)
    .where('ended_at', 'is', null)
    .where(sql<boolean>`(heard_at is null or ${canRetry})`)
    .where(
      sql<boolean>`(preview or not exists (select from pathmend.sync_runs o
                                    where o.project_id = r.project_id and o.run_id <> r.run_id and o.ended_at is null
                                      and o.heard_at is not null and not o.dry_run and not o.preview))`,
    )
    .returning(RUN_COLUMNS)
    .$castTo<SyncRunRow>()
    .executeTakeFirst();
}

type Turn = Pick<SyncRunRow, 'run_id' | 'tries'>;

/** Updates the row of a turn that has not ended. */
const updateTurn = (db: Db, projectId: string, { run_id, tries }: Turn) =>
  db
    .updateTable('pathmend.sync_runs')
    .where('project_id', '=', projectId)
    .where('run_id', '=', run_id)
    .where('tries', '=', tries)
    .where('ended_at', 'is', null);

/** Stores a heartbeat with the progress of a run. Returns false if it was cancelled, or another process has it. */
export async function recordHeartbeat(db: Db, projectId: string, turn: Turn, report: SyncEnd['report']) {
  const beat = updateTurn(db, projectId, turn).set({ heard_at: NOW, report: JSON.stringify(report) });
  return (await beat.executeTakeFirst()).numUpdatedRows > 0n;
}

/** Ends a run; has no effect if it has ended already. */
export async function endSyncRun(
  db: Db,
  projectId: string,
  turn: Turn,
  { outcome, report, problem, refusals, left_out, seen }: SyncEnd & { seen: SourcePreview | null },
  at: Date,
): Promise<void> {
  await updateTurn(db, projectId, turn)
    .set({
      ended_at: at,
      outcome,
      report: JSON.stringify(report),
      problem,
      refusals: JSON.stringify(refusals),
      left_out: JSON.stringify(left_out),
      seen: seen && JSON.stringify(seen),
    })
    .execute();
}

/** Releases a run, so that another process begins it again. */
export async function releaseSyncRun(db: Db, projectId: string, turn: Turn): Promise<void> {
  await updateTurn(db, projectId, turn).set({ heard_at: null }).where('tries', '<', MAX_RELEASES).execute();
}

/** The condition for an open run of a project's source. Runs of the command line do not count. */
const isOpen = sql<boolean>`(ended_at is null and (tries > 0 or heard_at is null))`;

/** Cancels the open runs of a project's source; their processes notice at the next {@link recordHeartbeat}. */
export async function cancelSyncRuns(trx: Trx, projectId: string, why: string, at: Date): Promise<void> {
  await failRuns(trx, at, why).where('project_id', '=', projectId).where(isOpen).execute();
}

/** Finds the open run of a project's source; a waiting run comes before an active one, since it begins later. */
export async function findOpenRun(db: Db, projectId: string, preview: boolean): Promise<string | undefined> {
  const open = await db
    .selectFrom('pathmend.sync_runs')
    .select('run_id')
    .where('project_id', '=', projectId)
    .where('preview', '=', preview)
    .where(isOpen)
    .orderBy('heard_at', (order) => order.desc().nullsFirst())
    .limit(1)
    .executeTakeFirst();
  return open?.run_id;
}

/** Lists the runs of all projects that wait for a worker, oldest first. */
export function findOpenRuns(db: Db, limit: number) {
  return db
    .selectFrom('pathmend.sync_runs')
    .select(['project_id', 'run_id', 'preview'])
    .where('ended_at', 'is', null)
    .where(sql<boolean>`(heard_at is null or ${canRetry})`)
    .orderBy('began_at')
    .limit(limit)
    .execute();
}

/** Ends runs of all projects that were cut off too often. */
export async function endLostRuns(db: Db, at: Date): Promise<void> {
  const isLost = sql<boolean>`${isSilent} and not ${canRetry}`;
  await failRuns(db, at, CUT_OFF).where('ended_at', 'is', null).where(isLost).execute();
}

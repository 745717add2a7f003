import { sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { textsWithin, withoutTexts, type PathSpellings } from '../../platform/database/path-spellings.js';

export type SyncOutcome = 'done' | 'incomplete' | 'failed';

/** How a sync ended, as it is stored. */
export interface SyncEnd {
  outcome: SyncOutcome;
  /** Counts by name. */
  report: Readonly<Record<string, number>>;
  /** Why it failed, or why nothing was deleted. */
  problem: string | null;
  refusals: readonly { where: string; reason: string }[];
  /** Urls that were not read, by reason. */
  left_out: Readonly<Record<string, number>>;
}

export interface SyncRunRow extends Omit<SyncEnd, 'outcome'> {
  run_id: string;
  source: string;
  prune: boolean;
  dry_run: boolean;
  began_at: Date;
  /** Null: it runs, or was cut off. */
  ended_at: Date | null;
  outcome: SyncOutcome | null;
}

/** Of each project. */
export const MAX_SYNC_RUNS = 100;

/** Stores that a sync began, and drops the oldest runs. Returns its id. */
export async function beginSyncRun(
  db: Db,
  projectId: string,
  { source, prune, dryRun, at }: { source: string; prune: boolean; dryRun: boolean; at: Date },
): Promise<string> {
  const { rows } = await sql<{ run_id: string }>`
    insert into pathmend.sync_runs (project_id, source, prune, dry_run, began_at)
    values (${projectId}, ${source}, ${prune}, ${dryRun}, ${at}) returning run_id`.execute(db);
  await sql`
    delete from pathmend.sync_runs where project_id = ${projectId}
       and run_id in (select run_id from pathmend.sync_runs where project_id = ${projectId}
                       order by began_at desc, run_id desc offset ${MAX_SYNC_RUNS})`.execute(db);
  return rows[0]?.run_id ?? '';
}

export async function endSyncRun(
  db: Db,
  projectId: string,
  runId: string,
  { outcome, report, problem, refusals, left_out }: SyncEnd,
  at: Date,
): Promise<void> {
  await sql`
    update pathmend.sync_runs
       set ended_at = ${at}, outcome = ${outcome}, report = ${JSON.stringify(report)}::jsonb, problem = ${problem},
           refusals = ${JSON.stringify(refusals)}::jsonb, left_out = ${JSON.stringify(left_out)}::jsonb
     where project_id = ${projectId} and run_id = ${runId}`.execute(db);
}

const COLUMNS = sql`run_id, source, prune, dry_run, began_at, ended_at, outcome, report, problem, refusals, left_out`;

/** The latest first. */
export async function listSyncRuns(db: Db, projectId: string, limit: number): Promise<SyncRunRow[]> {
  const { rows } = await sql<SyncRunRow>`
    select ${COLUMNS} from pathmend.sync_runs where project_id = ${projectId}
     order by began_at desc, run_id desc limit ${limit}`.execute(db);
  return rows;
}

export async function findSyncRun(db: Db, projectId: string, runId: string): Promise<SyncRunRow | undefined> {
  const { rows } = await sql<SyncRunRow>`
    select ${COLUMNS} from pathmend.sync_runs
     where project_id = ${projectId} and run_id::text = ${runId}`.execute(db);
  return rows[0];
}

/** Takes a path out of what was refused. */
export async function erasePathOfRuns(trx: Trx, projectId: string, path: PathSpellings): Promise<void> {
  const refused = await path.among(trx, textsWithin('sync_runs', 'refusals', projectId));
  await sql`
    update pathmend.sync_runs set refusals = ${withoutTexts('refusals', 'where', refused)}
     where project_id = ${projectId} and refusals <> '[]'`.execute(trx);
}

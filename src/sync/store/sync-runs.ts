import { query, sql } from '../../platform/database/sql.js';
import type { Db, Row, Trx } from '../../platform/database/db.js';
import { textsWithin, withoutTexts, type PathSpellings } from '../../platform/database/path-spellings.js';

export type SyncOutcome = 'done' | 'incomplete' | 'failed';

/** The result of a sync. */
export interface SyncEnd {
  outcome: SyncOutcome;
  /** Counts by name. */
  report: Readonly<Record<string, number>>;
  /** The reason why the sync failed, or why it deleted nothing. */
  problem: string | null;
  refusals: readonly { where: string; reason: string }[];
  /** Number of urls left out, by reason. */
  left_out: Readonly<Record<string, number>>;
}

export interface SourcePreview {
  pages: number;
  redirects: number;
  /** Items that give no page, by reason, with the first of them. */
  left_out: { reason: string; count: number; first: string[] }[];
  /** The first pages; `text` is the beginning of the main text. */
  first: { url: string; title: string | null; text: string }[];
  /** The reason why the preview ended before the end of the source; null if it read all of it. */
  cut_off: string | null;
  /** Patterns of paths that may be left out of the source, with their numbers of pages. */
  exclusions: { pattern: string; count: number }[];
  /** The server that answered the first page (src/sources/web/front-server.ts), if the headers show it. */
  server?: string;
}

/** The columns of {@link SyncRunRow}. */
export const RUN_COLUMNS = [
  'run_id',
  'source',
  'prune',
  'dry_run',
  'preview',
  'asked_by',
  'tries',
  'began_at',
  'heard_at',
  'ended_at',
  'outcome',
  'report',
  'problem',
  'refusals',
  'left_out',
  'seen',
] as const;

/** db/migrations/0010_sync.sql explains the columns. */
export type SyncRunRow = Pick<Row<'sync_runs'>, Exclude<(typeof RUN_COLUMNS)[number], keyof SyncEnd | 'seen'>> &
  Omit<SyncEnd, 'outcome'> & { outcome: SyncOutcome | null; seen: SourcePreview | null };

/** The max runs that are kept of each project; the oldest are dropped. */
export const MAX_SYNC_RUNS = 100;

const selectRuns = (db: Db, projectId: string) =>
  db.selectFrom('pathmend.sync_runs').select(RUN_COLUMNS).where('project_id', '=', projectId).$castTo<SyncRunRow>();

/** Lists the runs of a project, latest first, without previews. */
export function listSyncRuns(db: Db, projectId: string, limit: number): Promise<SyncRunRow[]> {
  return selectRuns(db, projectId)
    .where('preview', '=', false)
    .orderBy('began_at', 'desc')
    .orderBy('run_id', 'desc')
    .limit(limit)
    .execute();
}

export function findSyncRun(db: Db, projectId: string, runId: string): Promise<SyncRunRow | undefined> {
  return selectRuns(db, projectId)
    .where(sql<boolean>`run_id::text = ${runId}`)
    .executeTakeFirst();
}

/** Finds the name of the server that answers the site's visitors, from the latest preview that has it. */
export function findFrontServer(db: Db, projectId: string): Promise<string | undefined> {
  return query(sql<{ server: string | undefined }>`
    select seen->>'server' as server from pathmend.sync_runs
     where project_id = ${projectId} and preview and seen->>'server' is not null
     order by began_at desc limit 1`).value(db, 'server', undefined);
}

/** Finds the source and the reason of the latest sync, if it failed. */
export async function findFailedSync(db: Db, projectId: string) {
  const latest = await query(sql<{ source: string; reason: string; failed: boolean }>`
    select r.source, coalesce(r.problem, '') as reason, r.outcome = 'failed' and r.tries > 0 as failed
      from pathmend.sync_runs r join pathmend.project_sources s on s.project_id = r.project_id
     where r.project_id = ${projectId} and r.ended_at > s.set_at and not r.preview and not r.dry_run
     order by r.ended_at desc limit 1`).first(db);
  return latest?.failed ? { source: latest.source, reason: latest.reason } : undefined;
}

/** Erases a path from refusals, and all previews, since they name pages. */
export async function erasePathOfRuns(trx: Trx, projectId: string, path: PathSpellings): Promise<void> {
  const refused = await path.among(trx, textsWithin('sync_runs', 'refusals', projectId));
  await sql`
    update pathmend.sync_runs set refusals = ${withoutTexts('refusals', 'where', refused)}, seen = null
     where project_id = ${projectId} and (refusals <> '[]' or seen is not null)`.execute(trx);
}

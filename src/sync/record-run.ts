import { setTimeout as pause } from 'node:timers/promises';
import { COMMAND_LINE } from '../accounts/actor.js';
import type { Clock } from '../base/clock.js';
import { messageOf, OperatorError } from '../base/errors.js';
import type { Db } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { parseUrl } from '../text/page-url.js';
import { addSyncRun, endCutOffRuns, endSyncRun, recordHeartbeat, releaseSyncRun } from './store/run-turns.js';
import type { SourcePreview, SyncEnd, SyncRunRow } from './store/sync-runs.js';
import type { SyncOptions, SyncResult } from './sync-pages.js';

const MAX_TEXT = 500;
const MAX_SOURCE = 2_000;
const MAX_REASONS = 50;
const HEARTBEAT_MS = 2_000;

/** The record of a run, which the console lists. Failed runs are kept, too. */
export interface RecordedRun {
  /** Sets the counts that the next heartbeat stores. */
  progress: (counts: object) => void;
  /** Aborts when the run was cancelled, or another process took it over. */
  signal: AbortSignal;
  end(result: SyncResult, leftOut: Readonly<Record<string, number>>): Promise<void>;
  endPreview(seen: SourcePreview): Promise<void>;
  fail(error: unknown): Promise<void>;
  /** Hands the run over to another process. */
  release(): Promise<void>;
}

interface RunDeps {
  db: Db;
  clock: Clock;
}

/** Begins a run on the command line; calls `onWait` once if it must wait. `isAlone`: there is no other process. */
export async function recordRun(
  { db, clock, isAlone, onWait }: RunDeps & { isAlone: boolean; onWait: () => void },
  projectId: string,
  source: string,
  { prune, dryRun }: SyncOptions,
): Promise<RecordedRun> {
  const began = { source: shownSource(source), prune: prune === true, dryRun: dryRun === true, preview: false };
  const begin = (): Promise<string | undefined> =>
    inTransaction(db, async (trx) => {
      const at = new Date(clock.now());
      await endCutOffRuns(trx, projectId, { at, isAlone });
      return addSyncRun(trx, projectId, { ...began, by: COMMAND_LINE, at, begins: true });
    });
  let id = await begin();
  if (id === undefined) onWait();
  for (; id === undefined; id = await begin()) await pause(1_000);
  return startHeartbeat({ db, clock }, projectId, { run_id: id, tries: 0 }, source);
}

/** Stores a heartbeat with the progress of a run every two seconds, until the run ends. */
export function startHeartbeat(
  { db, clock }: RunDeps,
  projectId: string,
  turn: Pick<SyncRunRow, 'run_id' | 'tries'>,
  source: string,
): RecordedRun {
  const shown = shownSource(source);
  const ended = new AbortController();
  let counts: Record<string, number> = {};
  const timer = setInterval(() => {
    recordHeartbeat(db, projectId, turn, counts).then(
      (goesOn) => {
        if (!goesOn) ended.abort(new OperatorError('The sync was ended meanwhile, or another process has it.'));
      },
      // The sync's own statements fail with the same error.
      () => undefined,
    );
  }, HEARTBEAT_MS).unref();
  const end = (ending: Pick<SyncEnd, 'outcome'> & Partial<SyncEnd & { seen: SourcePreview }>): Promise<void> => {
    clearInterval(timer);
    const ended = { report: {}, problem: null, refusals: [], left_out: {}, seen: null, ...ending };
    return endSyncRun(db, projectId, turn, ended, new Date(clock.now()));
  };
  return {
    progress: (now) => {
      counts = countsOf(now);
    },
    signal: ended.signal,
    end: ({ report, refusals, notPruned }, leftOut) => {
      const first = Object.entries(leftOut).slice(0, MAX_REASONS);
      return end({
        outcome: report.refused > 0 || notPruned !== undefined ? 'incomplete' : 'done',
        report: countsOf(report),
        problem: notPruned === undefined ? null : `Nothing was deleted: ${storable(notPruned)}`,
        refusals: refusals.map(({ where, reason }) => ({ where: storable(where), reason: storable(reason) })),
        left_out: Object.fromEntries(first.map(([reason, urls]) => [storable(reason), urls])),
      });
    },
    endPreview: (seen) => end({ outcome: 'done', report: counts, seen }),
    fail: (error) => end({ outcome: 'failed', problem: storable(messageOf(error).replaceAll(source, shown)) }),
    release: () => {
      clearInterval(timer);
      return releaseSyncRun(db, projectId, turn);
    },
  };
}

/** Returns a source without the parts of a url that may be secret: credentials, query string, fragment. */
export function shownSource(source: string): string {
  const url = /^https?:/i.test(source) ? parseUrl(source) : undefined;
  if (!url) return source === '-' ? 'stdin' : storable(source, MAX_SOURCE);
  return storable(url.origin + url.pathname, MAX_SOURCE);
}

/** Removes what PostgreSQL cannot store: U+0000 and lone surrogates. */
export function storable(text: string, max = MAX_TEXT): string {
  return [...text.replaceAll('\0', '').toWellFormed()].slice(0, max).join('');
}

/** Returns only the counts of a report: its replaced rules are among the refusals already. */
function countsOf(report: object): Record<string, number> {
  const counts = Object.entries(report).filter(
    (count: [string, unknown]): count is [string, number] => typeof count[1] === 'number',
  );
  return Object.fromEntries(counts);
}

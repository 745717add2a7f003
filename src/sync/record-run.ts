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
/** How often a run says how far it is. */
const HEARD_EVERY_MS = 2_000;

/** A run of a sync, as the console lists it. It is kept whether it ends well or not. */
export interface RecordedRun {
  /** How far it is; the last is stored every two seconds. */
  progress(counts: object): void;
  /** Aborts when somebody ended the run, or another process took it. */
  signal: AbortSignal;
  end(result: SyncResult, leftOut: Readonly<Record<string, number>>): Promise<void>;
  seen(seen: SourcePreview): Promise<void>;
  fail(error: unknown): Promise<void>;
  /** It goes on in another process. */
  leave(): Promise<void>;
}

interface RunDeps {
  db: Db;
  clock: Clock;
}

/**
 * Begins a run on the command line. While another one changes the pages of the project, it waits.
 * @param source as it was typed
 * @param isAlone nobody else is at the database
 * @param onWait called once, before it waits
 */
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

/** Says every two seconds that a run goes on, until its end is stored. */
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
      // The statements of the sync itself say so.
      () => undefined,
    );
  }, HEARD_EVERY_MS).unref();
  const end = (found: SyncEnd & { seen?: SourcePreview }): Promise<void> => {
    clearInterval(timer);
    return endSyncRun(db, projectId, turn, { seen: null, ...found }, new Date(clock.now()));
  };
  return {
    progress: (now) => {
      counts = countsOf(now);
    },
    signal: ended.signal,
    end: ({ report, refusals, notPruned }, leftOut) =>
      end({
        outcome: report.refused > 0 || notPruned !== undefined ? 'incomplete' : 'done',
        report: countsOf(report),
        problem: notPruned === undefined ? null : `Nothing was deleted: ${storable(notPruned)}`,
        refusals: refusals.map(({ where, reason }) => ({ where: storable(where), reason: storable(reason) })),
        left_out: Object.fromEntries(
          Object.entries(leftOut)
            .slice(0, MAX_REASONS)
            .map(([reason, urls]) => [storable(reason), urls]),
        ),
      }),
    seen: (seen) => end({ outcome: 'done', report: counts, problem: null, refusals: [], left_out: {}, seen }),
    fail: (error) =>
      end({
        outcome: 'failed',
        report: {},
        problem: storable(messageOf(error).replaceAll(source, shown)),
        refusals: [],
        left_out: {},
      }),
    leave: () => {
      clearInterval(timer);
      return releaseSyncRun(db, projectId, turn);
    },
  };
}

/** A source without what may be secret in a url: credentials, query string, fragment. */
export function shownSource(source: string): string {
  const url = /^https?:/i.test(source) ? parseUrl(source) : undefined;
  if (!url) return source === '-' ? 'stdin' : storable(source, MAX_SOURCE);
  return storable(url.origin + url.pathname, MAX_SOURCE);
}

/** PostgreSQL stores no U+0000, and no half of a pair. */
export function storable(text: string, max = MAX_TEXT): string {
  return [...text.replaceAll('\0', '').toWellFormed()].slice(0, max).join('');
}

/** Which rules were replaced stands among what was named. */
function countsOf(report: object): Record<string, number> {
  const counts = Object.entries(report).filter(
    (one: [string, unknown]): one is [string, number] => typeof one[1] === 'number',
  );
  return Object.fromEntries(counts);
}

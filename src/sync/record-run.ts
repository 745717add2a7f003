import type { Clock } from '../base/clock.js';
import type { Db } from '../platform/database/db.js';
import { beginSyncRun, endSyncRun, type SyncEnd } from './store/sync-runs.js';
import { messageOf } from '../base/errors.js';
import { parseUrl } from '../text/page-url.js';
import type { SyncOptions, SyncResult } from './sync-pages.js';
import type { SyncReport } from './sync-run.js';

const MAX_TEXT = 500;
const MAX_SOURCE = 2_000;
const MAX_REASONS = 50;

/** A run of a sync, as the console lists it. It is kept whether it ends well or not. */
export interface RecordedRun {
  end(result: SyncResult, leftOut: Readonly<Record<string, number>>): Promise<void>;
  fail(error: unknown): Promise<void>;
}

/** @param source as it was typed */
export async function recordRun(
  { db, clock }: { db: Db; clock: Clock },
  projectId: string,
  source: string,
  { prune, dryRun }: SyncOptions,
): Promise<RecordedRun> {
  const shown = shownSource(source);
  const began = { source: shown, prune: prune === true, dryRun: dryRun === true, at: new Date(clock.now()) };
  const id = await beginSyncRun(db, projectId, began);
  const end = (found: SyncEnd): Promise<void> => endSyncRun(db, projectId, id, found, new Date(clock.now()));
  return {
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
    fail: (error) =>
      end({
        outcome: 'failed',
        report: {},
        problem: storable(messageOf(error).replaceAll(source, shown)),
        refusals: [],
        left_out: {},
      }),
  };
}

/** A source without what may be secret in a url: credentials, query string, fragment. */
export function shownSource(source: string): string {
  const url = /^https?:/i.test(source) ? parseUrl(source) : undefined;
  if (!url) return source === '-' ? 'stdin' : storable(source, MAX_SOURCE);
  return storable(url.origin + url.pathname, MAX_SOURCE);
}

/** PostgreSQL stores no U+0000, and no half of a pair. */
function storable(text: string, max = MAX_TEXT): string {
  return [...text.replaceAll('\0', '').toWellFormed()].slice(0, max).join('');
}

/** Which rules were replaced stands among what was named. */
function countsOf(report: SyncReport): Record<string, number> {
  const counts = Object.entries(report).filter((one): one is [string, number] => typeof one[1] === 'number');
  return Object.fromEntries(counts);
}

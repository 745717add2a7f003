import { isDatabaseUnavailable } from '../database/session/database-errors.js';
import type { Db } from '../database/db.js';
import { ensureWeeks, insertSearches, type SearchRow } from '../database/queries/history-rows.js';
import type { HistoryBound } from '../events/history-bound.js';
import type { Logger } from '../logger.js';

/** Remembers searches for analytics, so that clicks link to them, without holding up their answers. */
export interface SearchLog {
  add(row: SearchRow): void;
  /** Resolves when all that was added before is stored, or is not to be stored now. */
  flush(): Promise<void>;
  /** The same, for the last time: what is not stored then is lost, which is logged. */
  stop(): Promise<void>;
}

const FLUSH_AFTER_MS = 100;
const AGAIN_AFTER_MS = 1_000;
const MAX_WAITING = 10_000;
/** A statement takes as long to plan and to commit as a hundred rows. */
const ROWS_AT_ONCE = 1_000;

/**
 * Rows wait for a tenth of a second and go in one statement. A crash loses at most these. While the database is away
 * they wait for it, the newest ten thousand of them: an answer to a visitor matters more than the record of it.
 */
export function createSearchLog(db: Db, history: HistoryBound, logger: Logger): SearchLog {
  let waiting: SearchRow[] = [];
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const weeks = new Set<string>();

  async function write(): Promise<void> {
    // Who comes meanwhile waits a while again: they would go a few at a time, as fast as the database takes them.
    for (let left = waiting.length; left > 0; left -= ROWS_AT_ONCE) {
      const rows = waiting.splice(0, Math.min(left, ROWS_AT_ONCE));
      try {
        await store(rows);
      } catch {
        // Perhaps they are stored and only that was not heard: storing them again changes nothing but their day's
        // count.
        waiting = [...rows, ...waiting];
        forgetOldest();
        timer ??= setTimeout(() => void schedule(), AGAIN_AFTER_MS).unref();
        return;
      }
    }
    tellLost();
  }

  /** Rows of all projects go together: one that the database refuses is looked for by halves, and lost alone. */
  async function store(rows: readonly SearchRow[]): Promise<void> {
    try {
      await makeWeeks(rows);
      history.reportNotKept('searches', await insertSearches(db, rows, history.bytesPerDay));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      if (rows.length === 1) {
        logger.error('searches could not be logged', { lost: 1, error });
        return;
      }
      const half = Math.ceil(rows.length / 2);
      await store(rows.slice(0, half));
      await store(rows.slice(half));
    }
  }

  function forgetOldest(): void {
    const tooMany = waiting.length - MAX_WAITING;
    if (tooMany <= 0) return;
    waiting = waiting.slice(tooMany);
    lost += tooMany;
  }

  /** Once for an outage, at its end. */
  function tellLost(): void {
    if (lost > 0) logger.error('searches could not be logged', { lost });
    lost = 0;
  }

  async function makeWeeks(rows: readonly SearchRow[]): Promise<void> {
    const days = rows.map((row) => row.searched_at.slice(0, 10)).filter((day) => !weeks.has(day));
    for (const day of new Set(days)) {
      await ensureWeeks(db, new Date(`${day}T00:00:00Z`), new Date(`${day}T23:59:59Z`));
      weeks.add(day);
    }
  }

  function schedule(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  return {
    add(row) {
      waiting.push(row);
      forgetOldest();
      timer ??= setTimeout(() => void schedule(), FLUSH_AFTER_MS);
    },
    flush: schedule,
    stop: async () => {
      await schedule();
      clearTimeout(timer);
      lost += waiting.length;
      waiting = [];
      tellLost();
    },
  };
}

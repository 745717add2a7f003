import type { Db } from '../database/connect.js';
import { ensureWeeks, insertSearches, type SearchRow } from '../database/queries/events.js';
import type { Logger } from '../logger.js';

/** Remembers searches for analytics, so that clicks link to them, without holding up their answers. */
export interface SearchLog {
  add(row: SearchRow): void;
  /** Resolves when all that was added before is stored (or given up). */
  flush(): Promise<void>;
}

const FLUSH_AFTER_MS = 100;
const MOST_WAITING = 10_000;
const ROWS_AT_ONCE = 500;

/**
 * Rows wait for a tenth of a second and go in one statement. A crash loses at most these; a database that is away
 * for longer loses the oldest, which is logged: an answer to a visitor matters more than the record of it.
 */
export function createSearchLog(db: Db, logger: Logger): SearchLog {
  let waiting: SearchRow[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const weeks = new Set<string>();

  async function write(): Promise<void> {
    timer = undefined;
    while (waiting.length > 0) {
      const rows = waiting.splice(0, ROWS_AT_ONCE);
      try {
        await makeWeeks(rows);
        await insertSearches(db, rows);
      } catch (error) {
        logger.error('searches could not be logged', { lost: rows.length, error });
        return;
      }
    }
  }

  async function makeWeeks(rows: readonly SearchRow[]): Promise<void> {
    const days = rows.map((row) => row.searched_at.slice(0, 10)).filter((day) => !weeks.has(day));
    for (const day of new Set(days)) {
      await ensureWeeks(db, new Date(`${day}T00:00:00Z`), new Date(`${day}T23:59:59Z`));
      weeks.add(day);
    }
  }

  function schedule(): Promise<void> {
    if (timer) clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  return {
    add(row) {
      if (waiting.length >= MOST_WAITING) waiting = waiting.slice(waiting.length - MOST_WAITING + 1);
      waiting.push(row);
      timer ??= setTimeout(() => void schedule(), FLUSH_AFTER_MS);
    },
    flush: schedule,
  };
}

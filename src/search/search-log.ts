import { isDatabaseUnavailable } from '../platform/database/session/database-errors.js';
import type { Db } from '../platform/database/db.js';
import { ensureWeeks } from '../platform/database/maintenance.js';
import { findSuggestion, insertSearches, type SearchRow } from './store/searches.js';
import type { DailyLimit } from '../events/daily-limit.js';
import type { Logger } from '../base/logger.js';

/** Stores searches for analytics and for clicks, without delaying answers. */
export type SearchLog = ReturnType<typeof createSearchLog>;

const FLUSH_AFTER_MS = 100;
const RETRY_AFTER_MS = 1_000;
const MAX_WAITING = 10_000;
/** Planning and committing one statement takes as long as storing a hundred rows. */
const MAX_ROWS_PER_STATEMENT = 1_000;

/** Collects rows for a tenth of a second, which a crash loses; while the database is away, the newest wait. */
export function createSearchLog(db: Db, history: DailyLimit, logger: Logger) {
  let waiting: SearchRow[] = [];
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const weeks = new Set<string>();
  /** The latest day on which searches were beyond the limit, with their projects. */
  let full = { day: '', projects: new Set<string>() };

  async function write(): Promise<void> {
    // Rows added from now on wait for the next timer: otherwise each statement would store only a few.
    for (let left = waiting.length; left > 0; left -= MAX_ROWS_PER_STATEMENT) {
      const rows = waiting.splice(0, Math.min(left, MAX_ROWS_PER_STATEMENT));
      try {
        await store(rows);
      } catch {
        // The rows may be stored, with the answer lost. Storing them again changes only their day's count.
        waiting = [...rows, ...waiting];
        dropOldest();
        timer ??= setTimeout(() => void schedule(), RETRY_AFTER_MS).unref();
        return;
      }
    }
    logLost();
  }

  /** Stores rows of all projects together. If the database refuses a row, bisection finds it: it alone is lost. */
  async function store(rows: readonly SearchRow[]): Promise<void> {
    try {
      await createWeeks(rows);
      const beyond = await insertSearches(db, rows, history.bytesPerDay);
      history.reportNotKept('searches', beyond);
      for (const { project_id, day } of beyond) {
        if (day > full.day) full = { day, projects: new Set() };
        if (day === full.day) full.projects.add(project_id);
      }
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

  function dropOldest(): void {
    const excess = waiting.length - MAX_WAITING;
    if (excess <= 0) return;
    waiting = waiting.slice(excess);
    lost += excess;
  }

  /** Logs once for an outage, at its end. */
  function logLost(): void {
    if (lost > 0) logger.error('searches could not be logged', { lost });
    lost = 0;
  }

  async function createWeeks(rows: readonly SearchRow[]): Promise<void> {
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
    add(row: SearchRow): void {
      waiting.push(row);
      dropOldest();
      timer ??= setTimeout(() => void schedule(), FLUSH_AFTER_MS);
    },
    /** Resolves when the rows added so far are stored, or cannot be stored now. */
    flush: schedule,
    /** Finds what a search showed, also if it was logged just now: {@link findSuggestion}. */
    find: async (projectId: string, searchId: string, rank: number, eventId: string) => {
      const read = () => findSuggestion(db, projectId, searchId, rank, eventId);
      return (await read()) ?? schedule().then(read);
    },
    /** Tells whether the project's searches of today are kept, as far as is known: else none can be found. */
    keeps: (projectId: string, now: number): boolean =>
      full.day !== new Date(now).toISOString().slice(0, 10) || !full.projects.has(projectId),
    /** Flushes for the last time. Rows that cannot be stored are lost, and their number is logged. */
    stop: async (): Promise<void> => {
      await schedule();
      clearTimeout(timer);
      lost += waiting.length;
      waiting = [];
      logLost();
    },
  };
}

import type { Db } from '../platform/database/db.js';
import type { ProjectRange } from '../platform/database/project-range.js';
import { dropOldWeeks, ensureWeeks } from '../platform/database/maintenance.js';
import { dropOldDays } from './store/history-days.js';

const AHEAD_MS = 14 * 86_400_000;

/**
 * Hourly: creates the partitions of the next two weeks, and drops those that end before `before`, with the counts of
 * their days. Returns the names of those that were dropped.
 */
export async function maintainEvents(db: Db, now: number, before: Date, slice: ProjectRange): Promise<string[]> {
  await ensureWeeks(db, new Date(now), new Date(now + AHEAD_MS));
  const dropped = await dropOldWeeks(db, before);
  await dropOldDays(db, before, slice);
  return dropped;
}

import { LRUCache } from 'lru-cache';
import { inTransaction } from '../platform/database/session/connect.js';
import type { Db } from '../platform/database/db.js';
import { countEvents, groupByDay } from './store/history-days.js';
import { deleteNotFounds, insertNotFounds, type NotFoundRow } from './store/history.js';
import { ensureWeeks } from '../platform/database/maintenance.js';
import { makeDeletionWait } from '../projects/turns.js';
import { coverNotFounds } from '../rules/cover-paths.js';
import { addNotFounds } from '../analytics/store/rollups.js';
import { OperatorError } from '../base/errors.js';
import type { Visitor } from '../base/glossary.js';
import type { NotText } from '../text/decode-text.js';
import type { AccessLog } from '../text/access-logs/access-log.js';
import { refuse } from '../text/access-logs/logged-request.js';
import { isInside, withoutPort } from '../text/ip-address.js';
import { readNotFoundRow, type NotFoundRules } from './logged-not-found.js';

export interface NotFoundImport extends NotFoundRules {
  db: Db;
  log: AccessLog;
  bytesPerDay: number;
  onProgress: () => void;
}

export interface NotFoundReport {
  lines: number;
  /** 404s that were stored, those of robots among them. */
  not_founds: number;
  /** Assistants, search engines, scanners and others. */
  robots: number;
  /** 404s that an earlier import stored. */
  duplicates: number;
  /** Lines that could not be read, and 404s that may not be stored. */
  refused: number;
}

interface Located {
  line: number;
  row: NotFoundRow;
}

const MACHINES: ReadonlySet<Visitor> = new Set(['assistant', 'search_engine', 'scanner', 'robot']);
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** A transaction has so many rows: on the embedded database every request waits while it runs. */
const MAX_ROWS = 500;
const MAX_CHARACTERS = 1_000_000;
/** Equal lines are told apart by their number within this many 404s. Some 20 MB. */
const MAX_REMEMBERED = 100_000;
const MAX_REASONS = 20;
const LINES_PER_PROGRESS = 1_000;

/**
 * Stores the 404s (and 410s) of an access log as events of their own times. Nothing is learned from them: they say what
 * was missing then. A 404 has an id made of all that is stored of it and its number among equal ones, so that one that
 * another import has stored is not stored again.
 * @param lines NotText: one that is not text, or too long
 * @returns the report, why the first refused lines were refused, and `proxy`: the address inside that all 404s have
 * @throws OperatorError when no line can be read
 */
export async function importNotFounds(options: NotFoundImport, lines: AsyncIterable<string | NotText>) {
  const report: NotFoundReport = { lines: 0, not_founds: 0, robots: 0, duplicates: 0, refused: 0 };
  const reasons: { line: number; reason: string }[] = [];
  const equal = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  const weeks = new Set<number>();
  // Two addresses are enough to know that there are several.
  const addresses = new Set<string | null>();
  let batch: Located[] = [];
  let characters = 0;
  const refused = (line: number, reason: string): void => {
    if (++report.refused <= MAX_REASONS) reasons.push({ line, reason });
  };
  const flush = async (): Promise<void> => {
    const { stored, beyond } = await storeBatch(options, batch, weeks);
    for (const { line, row } of batch)
      if (beyond.has(row.event_id)) {
        refused(line, `beyond HISTORY_MB_PER_DAY on ${row.received_at.slice(0, 10)}`);
      } else if (stored.has(row.event_id)) {
        report.not_founds++;
        if (MACHINES.has(row.visitor)) report.robots++;
      } else report.duplicates++;
    batch = [];
    characters = 0;
  };
  const take = async (text: string | NotText): Promise<void> => {
    const line = ++report.lines;
    if (line % LINES_PER_PROGRESS === 0) options.onProgress();
    const read = typeof text === 'string' ? options.log.push(text) : refuse(text.message);
    const row = read && 'at' in read ? readNotFoundRow(options, read, equal) : read;
    if (row === undefined) return;
    if ('refused' in row) {
      refused(line, row.refused);
      return;
    }
    if (addresses.size < 2 && read && 'at' in read) addresses.add(read.ip);
    batch.push({ line, row });
    characters += row.raw_path.length + (row.referrer?.length ?? 0) + (row.user_agent?.length ?? 0);
    if (batch.length >= MAX_ROWS || characters >= MAX_CHARACTERS) await flush();
  };
  try {
    for await (const text of lines) await take(text);
  } catch (error) {
    // The part of a damaged log that was read stays.
    if (error instanceof OperatorError) await flush();
    throw error;
  }
  await flush();
  options.log.end();
  const [proxy] = addresses;
  const isProxy = addresses.size === 1 && proxy != null && isInside(withoutPort(proxy)) && report.not_founds > 1;
  return { report, reasons: reasons.sort((a, b) => a.line - b.line), proxy: isProxy ? proxy : undefined };
}

/** Stores a batch and takes back the rows that do not fit into their day. Returns the ids of both. */
async function storeBatch({ db, bytesPerDay }: NotFoundImport, batch: readonly Located[], weeks: Set<number>) {
  const [first] = batch;
  if (!first) return { stored: new Set(), beyond: new Set() };
  // In the order of ids, against deadlocks with another import.
  const rows = batch.map(({ row }) => row).sort((a, b) => (a.event_id < b.event_id ? -1 : 1));
  for (const { received_at } of rows) {
    // 1970 began on a Thursday.
    const week = Math.floor((Date.parse(received_at) + 3 * DAY_MS) / WEEK_MS);
    if (!weeks.has(week)) await ensureWeeks(db, new Date(received_at), new Date(received_at));
    weeks.add(week);
  }
  await coverNotFounds(db, rows);
  return inTransaction(db, async (trx) => {
    if (!(await makeDeletionWait(trx, first.row.project_id)))
      throw new OperatorError('The project was deleted meanwhile.');
    const stored = await insertNotFounds(trx, rows);
    if (stored.size === 0) return { stored, beyond: stored };
    const added = rows.filter((row) => stored.has(row.event_id));
    const sizes = added.map((row) => ({ ...row, at: row.received_at, bytes: Buffer.byteLength(JSON.stringify(row)) }));
    const full = new Set((await countEvents(trx, groupByDay(sizes), bytesPerDay)).map(({ day }) => day));
    const isBeyond = (row: NotFoundRow): boolean => full.has(row.received_at.slice(0, 10));
    const beyond = added.filter(isBeyond);
    if (beyond.length > 0) await deleteNotFounds(trx, beyond);
    const kept = added.filter((row) => !isBeyond(row));
    await addNotFounds(trx, kept);
    return { stored, beyond: new Set(beyond.map((row) => row.event_id)) };
  });
}

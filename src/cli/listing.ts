import { once } from 'node:events';
import { OperatorError } from '../errors.js';
import { table, type CommandContext } from './context.js';

/** Rows of one query: a command holds so many at once, however many there are. */
const BATCH_ROWS = 10_000;

export const LIMIT_HELP = 'at most so many; without it, all';

/** How many rows a command may list. @throws OperatorError */
function readLimit(text: string | undefined): number {
  if (text === undefined) return Infinity;
  const limit = Number(text);
  // Beyond these, PostgreSQL has no such limit, and would say so in its own words.
  if (!Number.isSafeInteger(limit) || limit < 1) throw new OperatorError('--limit must be a whole number from 1 on.');
  return limit;
}

interface Listing<Row> {
  options: { json?: boolean; limit?: string };
  /** The next rows in the listing's order: from behind a row, or from the first. */
  next: (after: Row | undefined, max: number) => Promise<Row[]>;
  head: readonly string[];
  cells: (row: Row) => readonly string[];
}

/**
 * Prints rows a portion at a time: a table for people, or one JSON array. What a limit leaves out is said on stderr, so
 * that stdout stays what it is.
 */
export async function printListing<Row>(
  context: CommandContext,
  { options: { json, limit: given }, next, head, cells }: Listing<Row>,
): Promise<void> {
  const limit = readLimit(given);
  const write = async (text: string): Promise<void> => {
    if (!context.stdout.write(text)) await once(context.stdout, 'drain');
  };
  let last: Row | undefined;
  let printed = 0;
  let more = true;
  await write(json ? '[' : '');
  while (more) {
    const max = Math.min(BATCH_ROWS, limit - printed);
    const found = await next(last, max + 1);
    more = found.length > max;
    const rows = found.slice(0, max);
    if (json)
      await write(`${printed > 0 && rows.length > 0 ? ',' : ''}${rows.map((row) => JSON.stringify(row)).join(',')}`);
    else await write(`${table([...(printed === 0 ? [head] : []), ...rows.map(cells)])}\n`);
    printed += rows.length;
    last = rows.at(-1);
    if (printed >= limit) break;
  }
  await write(json ? ']\n' : '');
  if (more)
    context.stderr.write(
      `There are more than these ${printed}: a greater --limit lists more of them, none lists all.\n`,
    );
}

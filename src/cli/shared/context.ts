import { writeFile } from 'node:fs/promises';
import { OperatorError } from '../../base/errors.js';
import { once } from 'node:events';

/** The input and output of a command, except the database. */
export interface CommandContext {
  environment: Record<string, string | undefined>;
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

/** Prints one JSON value for programs, or lines for people. */
export function print(context: CommandContext, { json }: { json?: boolean }, value: unknown, lines: () => string) {
  context.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines()}\n`);
}

/** Formats rows as a table whose columns have one width each. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length))) ?? [];
  const padded = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  return padded.map((cells) => cells.join('  ').trimEnd()).join('\n');
}

/** Writes what a command makes to the file of `--out`. @throws OperatorError */
export async function writeOut(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    throw new OperatorError(`${file} cannot be written.`, { cause: error });
  });
}

/** The maximum number of rows of one query: a command holds them in memory. */
const BATCH_ROWS = 10_000;

export const LIMIT_HELP = 'at most so many; without it, all';

/** Reads the maximum number of rows to list. @throws OperatorError */
function readLimit(text: string | undefined): number {
  if (text === undefined) return Infinity;
  const limit = Number(text);
  // PostgreSQL would refuse any other limit, too, but in its own words.
  if (!Number.isSafeInteger(limit) || limit < 1) throw new OperatorError('--limit must be a whole number from 1 on.');
  return limit;
}

interface Listing<Row> {
  options: { json?: boolean; limit?: string };
  /** The next rows in order, after a row or from the start. */
  next: (after: Row | undefined, max: number) => Promise<Row[]>;
  head: readonly string[];
  cells: (row: Row) => readonly string[];
}

/** Prints rows batch by batch, as a table or one JSON array. Where the limit leaves rows out, stderr says so. */
export async function printListing<Row>(
  context: CommandContext,
  { options: { json, limit: limitText }, next, head, cells }: Listing<Row>,
): Promise<void> {
  const limit = readLimit(limitText);
  const write = async (text: string): Promise<void> => {
    if (!context.stdout.write(text)) await once(context.stdout, 'drain');
  };
  let last: Row | undefined;
  let printed = 0;
  let more = true;
  await write(json ? '[' : '');
  while (more) {
    const max = Math.min(BATCH_ROWS, limit - printed);
    const batch = await next(last, max + 1);
    more = batch.length > max;
    const rows = batch.slice(0, max);
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

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Converts a duration such as `90d`, `12h`, `30m` or `45s` to milliseconds. */
export function parseDuration(text: string, option: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined || Number(amount) === 0)
    throw new OperatorError(`${option} must be a number with d, h, m or s, such as 90d; not ${JSON.stringify(text)}.`);
  return Number(amount) * (UNITS[unit] ?? 0);
}

import type { Range } from '../../analytics/range.js';
import { csvCell } from '../../rule-formats/write/rows.js';
import { html, type Html } from '../../text/html.js';
import type { View, Visit } from '../shared/console-page.js';

export type Value = string | number | Date | null;

const FILES = { csv: 'text/csv', jsonl: 'application/x-ndjson' } as const;
export type FileKind = keyof typeof FILES;

/** Returns the file, if the query string asks for it by this id; else undefined. */
export async function fileOf(
  { query }: Visit,
  { from, to }: Range,
  id: string,
  write: (kind: FileKind) => Promise<string>,
): Promise<View['raw']> {
  const kind = (['csv', 'jsonl'] as const).find((name) => query.get(name) === id);
  return kind && { type: FILES[kind], body: await write(kind), filename: `${id}-${from}-${to}.${kind}` };
}

/** Links to both files. @param hrefOf the page's href with a field more */
export function fileLinks(id: string, title: string, hrefOf: (more: Record<string, string>) => string): Html {
  return html`<p class="download"><a href="${hrefOf({ csv: id })}" aria-label="Download as CSV: ${title}">Download as CSV</a> <a href="${hrefOf({ jsonl: id })}" aria-label="Download as JSON lines: ${title}">JSON lines</a></p>`;
}

/** A line for each row; CSV has the names of the columns first, JSON lines have them in each. */
export function writeFile<Row>(
  kind: FileKind,
  columns: readonly { name: string; value: (row: Row) => Value }[],
  rows: readonly Row[],
): string {
  const names = columns.map(({ name }) => name);
  const lines = rows.map((row) => columns.map(({ value }) => value(row)));
  if (kind === 'csv') return [names, ...lines].map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
  const objects = lines.map((values) => Object.fromEntries(names.map((name, at) => [name, values[at]])));
  return objects.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Writes a cell of CSV. Spreadsheets run text that begins like a formula, and visitors choose such texts. */
function cellOf(value: Value): string {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'number') return String(Math.round(value * 10_000) / 10_000);
  const text = /^[=+\-@\t\r]/.test(value ?? '') ? `'${value ?? ''}` : (value ?? '');
  return csvCell(text);
}

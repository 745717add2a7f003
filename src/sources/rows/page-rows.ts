import { OperatorError } from '../../base/errors.js';
import { parseJson } from '../../base/json.js';
import { parseUrl } from '../../text/page-url.js';
import { splitLines } from '../../text/read-lines.js';
import { delimiterOf, TableRows } from '../../text/table-rows.js';
import type { Source, SourcePage } from '../source.js';

/** The max characters of a line or cell: a million of content, escaped with six each, and the metadata. */
const MAX_LINE = 8_000_000;

/** Reads pages as JSON lines, `{url, title, content, metadata}` as in an upsert, with urls relative to `base`. */
export async function* readJsonLines(chunks: AsyncIterable<string>, name: string, base: string | undefined): Source {
  let line = 0;
  for await (const text of splitLines(chunks, MAX_LINE)) {
    line++;
    const where = `${name}:${line}`;
    if (text.trim() === '') continue;
    const row = text.length > MAX_LINE ? `longer than ${MAX_LINE} characters` : parseRow(text);
    if (typeof row === 'string') {
      yield { kind: 'refused', where, reason: row };
      continue;
    }
    row['title'] ??= null;
    row['metadata'] ??= {};
    if (base !== undefined && typeof row['url'] === 'string')
      row['url'] = parseUrl(row['url'], base)?.href ?? row['url'];
    // The row is unchecked: the sync checks every field.
    yield { kind: 'page', page: row as unknown as SourcePage, where };
  }
}

/** Parses a line; returns the row, or the reason of a refusal. */
export function parseRow(text: string): Record<string, unknown> | string {
  try {
    const row = parseJson(text.replace(/^\uFEFF/, ''));
    return typeof row === 'object' && row !== null && !Array.isArray(row)
      ? (row as Record<string, unknown>)
      : 'not a JSON object';
  } catch {
    return 'not valid JSON';
  }
}

/**
 * Reads pages as a table with the columns `url`, relative to `base`, `content` and optionally `title`. Other non-empty
 * cells become metadata.
 * @throws OperatorError without these columns, or for an unclosed quote
 */
export async function* readCsv(chunks: AsyncIterable<string>, name: string, base: string | undefined): Source {
  let rows: TableRows | undefined;
  let header: string[] | undefined;
  let line = 0;
  for await (const text of splitLines(chunks, MAX_LINE)) {
    line++;
    const clean = line === 1 ? text.replace(/^\uFEFF/, '') : text;
    rows ??= new TableRows(delimiterOf(name, clean));
    const row = rows.push(clean, line);
    if (clean.length > MAX_LINE || (rows.open?.characters ?? 0) > MAX_LINE)
      throw tooLong(name, rows.open?.line ?? line);
    if (!row || row.cells.every((cell) => cell.trim() === '')) continue;
    const where = `${name}:${row.line}`;
    if (!header) header = readHeader(row.cells, where);
    else if (row.cells.length > header.length)
      yield { kind: 'refused', where, reason: `${row.cells.length} cells, where the header has ${header.length}` };
    else yield { kind: 'page', page: pageOf(header, row.cells, base), where };
  }
  if (rows?.open) throw new OperatorError(`${name}:${rows.open.line}: a quote that is opened here is never closed.`);
}

function tooLong(name: string, line: number): OperatorError {
  return new OperatorError(
    `${name}:${line}: a cell of more than ${MAX_LINE} characters begins here: perhaps a quote is never closed.`,
  );
}

function readHeader(cells: readonly string[], where: string): string[] {
  const header = cells.map((cell) => cell.trim());
  const lower = header.map((cell) => cell.toLowerCase());
  const missing = ['url', 'content'].filter((column) => !lower.includes(column));
  if (missing.length > 0)
    throw new OperatorError(
      `${where}: the header must name the columns url and content; ${missing.join(', ')} is missing.`,
    );
  const twice = lower.find((column, at) => column !== '' && lower.indexOf(column) !== at);
  if (twice !== undefined) throw new OperatorError(`${where}: the header names ${twice} twice.`);
  return header.map((cell, at) => (['url', 'title', 'content'].includes(lower[at] ?? '') ? (lower[at] ?? '') : cell));
}

/** A column without a name is no metadata, either. */
const NO_METADATA = new Set(['', 'url', 'title', 'content']);

function pageOf(header: readonly string[], cells: readonly string[], base: string | undefined) {
  const row = new Map(header.map((column, at) => [column, cells[at] ?? '']));
  const url = (row.get('url') ?? '').trim();
  const title = (row.get('title') ?? '').trim();
  return {
    url: base === undefined ? url : (parseUrl(url, base)?.href ?? url),
    title: title === '' ? null : title,
    content: row.get('content') ?? '',
    metadata: Object.fromEntries([...row].filter(([column, cell]) => !NO_METADATA.has(column) && cell !== '')),
  };
}

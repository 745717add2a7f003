import { invalid, OperatorError, messageOf } from '../../base/errors.js';
import { writeQuery } from '../../text/paths/plain-path.js';
import { TableRows, type Delimiter, type TableRow } from '../../text/table-rows.js';
import type { FileColumns } from './file-columns.js';
import { isAddress, refused, type ReaderRule, type Rule, type RuleReader } from './read-rule.js';
import { findAddresses } from './column-words.js';
import { readColumns } from './table-columns.js';
import { tableOf } from './hosts.js';
import { toRule } from './to-rule.js';

/** These are the names of columns in a table without a header, such as Cloudflare's bulk redirects. */
const WITHOUT_HEADER = [
  '',
  '',
  'statuscode',
  'preservequerystring',
  'includesubdomains',
  'subpathmatching',
  'preservepathsuffix',
];

interface Columns {
  from: number;
  to: number;
  names: readonly string[];
  hasHeader: boolean;
}

/**
 * A table of old and new addresses. Its header names their columns, such as `from` and `to`. Without a header they are
 * the first two. A column `action`, as `redirects map` writes it, tells which rows are gone (`gone`, `410`), which are
 * not worth a redirect (`ignore`), and which people have still to review. Columns in which the tools of content
 * management systems state more about a row (`regex`, `status`, `match type`, dates) are read, too.
 */
export class RedirectTable implements RuleReader {
  readonly isOfServer = false;
  readonly #file: string;
  readonly #rows: TableRows;
  readonly #fileColumns: FileColumns;
  #columns: Columns | undefined;

  constructor(file: string, delimiter: Delimiter, columns: FileColumns) {
    this.#file = file;
    this.#fileColumns = columns;
    this.#rows = new TableRows(delimiter);
  }

  /**
   * @throws OperatorError if the first row is neither two addresses nor a header
   */
  push(text: string, line: number): ReaderRule[] {
    const row = this.#rows.push(text, line);
    if (!row || row.cells.every((cell) => cell.trim() === '')) return [];
    const [first = '', second = ''] = row.cells.map((cell) => cell.trim());
    if (!this.#columns) {
      const hasHeader = !isAddress(withScheme(first)) || !isAddress(second);
      this.#columns = hasHeader ? this.#readHeader(row) : { from: 0, to: 1, names: WITHOUT_HEADER, hasHeader };
      if (hasHeader) return [];
    }
    const columns = this.#columns;
    return [{ line: row.line, rule: () => ruleOf(row.cells, columns, this.#fileColumns) }];
  }

  end(): ReaderRule[] {
    const line = this.#rows.open?.line;
    return line === undefined ? [] : [{ line, rule: refused('a quote that is opened here is never closed') }];
  }

  #readHeader({ line, cells }: TableRow): Columns {
    const names = cells.map((cell) => cell.trim());
    const { from, to } = findAddresses(names.map((name) => this.#fileColumns.nameOf(name)));
    if (from < 0 || to < 0)
      throw new OperatorError(
        `${this.#file}:${line}: neither two addresses nor a header that names a column of old ones (such as path or from) and one of new ones (such as expected or to): not ${names.join(', ').slice(0, 200)}`,
      );
    return { from, to, names, hasHeader: true };
  }
}

function ruleOf(cells: readonly string[], { from, to, names, hasHeader }: Columns, columns: FileColumns) {
  const unnamed = hasHeader ? -1 : cells.findIndex((cell, at) => at > 2 && !/^(?:|true|false)$/i.test(cell.trim()));
  if (unnamed >= 0)
    throw invalid(undefined, `column ${unnamed + 1} has no name: begin the table with a row that names its columns`);
  return readRow({ names, cells, from, to }, columns);
}

/**
 * A row of a table, or an object with its fields: the names and texts of its cells, and the places of its addresses.
 */
type Row = Omit<Columns, 'hasHeader'> & { cells: readonly string[] };

/** @param object the row as a JSON object with pathmend's own names */
function readRow({ names, cells, from, to }: Row, columns: FileColumns, object?: Record<string, unknown>) {
  const [oldAddress, newAddress] = [withScheme(cells[from]?.trim() ?? ''), cells[to]?.trim() ?? ''];
  const beside = names.flatMap((name, at) => (at === from || at === to ? [] : [[name, cells[at] ?? ''] as const]));
  return readColumns(columns, beside, oldAddress, newAddress, () => {
    // Tables also list pages that are gone for good, without a new address.
    if (newAddress === '' && isAddress(oldAddress)) return { kind: 'skipped', reason: 'noTarget', text: oldAddress };
    const [at, value] = isAddress(oldAddress) ? [to, newAddress] : [from, oldAddress];
    const name = names[at] ?? '';
    if (!isAddress(value))
      throw invalid(
        undefined,
        `${name === '' ? `column ${at + 1}` : name} must be a path that begins with a slash, or a full url, not ${JSON.stringify(value.slice(0, 200))}`,
      );
    return toRule(oldAddress, newAddress, object);
  });
}

/** Bulk redirects of Cloudflare may name a host without its scheme. */
function withScheme(text: string): string {
  return /^(?:[a-z\d-]+\.)+[a-z]{2,}(?::\d+)?\//i.test(text) ? `https://${text}` : text;
}

/** Reads `{"path": …, "expected": …}`, or the names that columns may have, and more fields perhaps. @throws ApiError */
export function readRowObject(value: unknown, columns: FileColumns): Rule | Rule[] {
  const row = tableOf(value);
  const names = Object.keys(row);
  const { from, to } = findAddresses(names.map((name) => columns.nameOf(name)));
  if (from < 0)
    throw invalid(
      undefined,
      `a row must be an object with an old address (path, from, source or old) and a new one (expected, to, target, destination or new), not one with ${names.join(', ').slice(0, 200) || 'none'}`,
    );
  // With pathmend's own names, only a star and `:splat` have a meaning.
  return readRow(
    { names, cells: names.map((name) => asText(row[name])), from, to },
    columns,
    names[from] === 'path' ? row : undefined,
  );
}

/** Writes a field as text. Parameters of a query string may be an object, which gives '' if it is empty. */
function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object' || Array.isArray(value))
    return typeof value === 'string' ? value : JSON.stringify(value);
  return writeQuery(value);
}

/** Reads objects in JSON, one or several on a line, each on one line or on many, in an array or not. */
export class JsonObjects {
  readonly #columns: FileColumns;
  /** An object that has not ended yet, and how far it is indented. */
  #open: { text: string; line: number; indent: number } | undefined;
  #isArray = false;

  constructor(columns: FileColumns) {
    this.#columns = columns;
  }

  /** Returns the objects that end with this line; undefined if the line is not part of an object. */
  push(text: string, line: number): ReaderRule[] | undefined {
    if (!this.#open && /^\s*(?:\]\s*$|\[\s*(?:$|\{))/.test(text))
      this.#isArray = !text.includes(']') || text.includes('{');
    if (!this.#open && /^\s*[[\]]\s*$/.test(text)) return [];
    const begins = /^[\s[,]*\{\s*\S/.test(text) || (this.#isArray && /^\s*[{,]/.test(text));
    const indent = text.search(/\S/);
    // An object that never ends must not take the objects behind it along.
    const broken = this.#open && begins && indent <= this.#open.indent ? this.end() : [];
    if (!this.#open && !begins) return undefined;
    this.#open = { line, indent, ...this.#open, text: `${this.#open?.text ?? ''}\n${text}` };
    return [...broken, ...this.#read(this.#open)];
  }

  end(): ReaderRule[] {
    const open = this.#open;
    this.#open = undefined;
    return open ? [{ line: open.line, rule: refused('not valid JSON: an object that begins here does not end') }] : [];
  }

  #read({ text, line }: { text: string; line: number }): ReaderRule[] {
    const objects = text.slice(text.indexOf('{'));
    try {
      const rows = JSON.parse(`[${objects.slice(0, objects.lastIndexOf('}') + 1) || '{'}]`) as unknown[];
      this.#open = undefined;
      return rows.map((row) => ({ line, rule: () => readRowObject(row, this.#columns) }));
    } catch (error) {
      const signs = objects.replace(/"(?:[^"\\]|\\.)*"/g, '');
      // Outside an array, an object stands on one line.
      if (this.#isArray && count(signs, /[[{]/g) > count(signs, /[\]}]/g)) return [];
      this.#open = undefined;
      return [{ line, rule: refused(`not valid JSON: ${messageOf(error)}`) }];
    }
  }
}

const count = (text: string, sign: RegExp): number => text.match(sign)?.length ?? 0;

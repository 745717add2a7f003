import { invalid, OperatorError } from '../../errors.js';
import { isAddress, toRule, type LocatedRule, type Rule } from './redirect-rule.js';

/** Names of columns, in lower case. */
const OLD_COLUMN = /^(?:path|from|old|old path|old url|source|source url|redirect from|request|request url)$/;
const NEW_COLUMN = /^(?:expected|to|new|new path|new url|target|target url|destination|redirect to|destination url)$/;

interface Row {
  line: number;
  cells: string[];
}

/**
 * A table of old and new addresses. Its header names their columns, such as `from` and `to`. Without a header they are
 * the first two. Cells are as in RFC 4180: quoted ones may hold delimiters, line breaks and doubled quotes.
 */
export class RedirectTable {
  readonly #file: string;
  readonly #delimiter: string;
  #columns: { from: number; to: number } | undefined;
  #row: Row | undefined;
  /** A quoted cell that goes on in the next line. */
  #open: { text: string; line: number } | undefined;

  constructor(file: string, delimiter: ',' | ';' | '\t') {
    this.#file = file;
    this.#delimiter = delimiter;
  }

  /**
   * The rule of the row that ends with this line, if one does.
   * @throws OperatorError if the first row is neither two addresses nor a header
   */
  push(text: string, line: number): { line: number; rule: () => Rule } | undefined {
    const row = this.#readRow(text, line);
    if (!row || row.cells.every((cell) => cell.trim() === '')) return undefined;
    const [first = '', second = ''] = row.cells.map((cell) => cell.trim());
    if (!this.#columns) {
      const hasHeader = !isAddress(first) || !isAddress(second);
      this.#columns = hasHeader ? this.#readHeader(row) : { from: 0, to: 1 };
      if (hasHeader) return undefined;
    }
    const { from, to } = this.#columns;
    return { line: row.line, rule: () => ruleOf(row.cells, from, to) };
  }

  end(): LocatedRule[] {
    const line = this.#open?.line;
    return line === undefined ? [] : [{ kind: 'refused', line, reason: 'a quote that is opened here is never closed' }];
  }

  #readHeader({ line, cells }: Row): { from: number; to: number } {
    const names = cells.map((cell) => cell.trim().toLowerCase().replaceAll('_', ' '));
    const from = names.findIndex((name) => OLD_COLUMN.test(name));
    const to = names.findIndex((name) => NEW_COLUMN.test(name));
    if (from < 0 || to < 0)
      throw new OperatorError(
        `${this.#file}:${line}: neither two addresses nor a header that names a column of old ones (such as path or from) and one of new ones (such as expected or to)`,
      );
    return { from, to };
  }

  /** The row that ends with this line; undefined inside a quoted cell. */
  #readRow(text: string, line: number): Row | undefined {
    this.#row ??= { line, cells: [] };
    const { cells } = this.#row;
    let cell = this.#open ? `${this.#open.text}\n` : '';
    let quotedSince = this.#open?.line ?? 0;
    // A quote opens a cell only before its first character. Testing the whole cell at each quote took quadratic time.
    let isBlank = !this.#open;
    for (let i = 0; i < text.length; i++) {
      const character = text[i] ?? '';
      if (quotedSince > 0) {
        if (character !== '"') cell += character;
        else if (text[i + 1] === '"') cell += text[++i] ?? '';
        else quotedSince = 0;
      } else if (character === '"' && isBlank) {
        cell = '';
        quotedSince = line;
        isBlank = false;
      } else if (character === this.#delimiter) {
        cells.push(cell);
        cell = '';
        isBlank = true;
      } else {
        cell += character;
        isBlank &&= character.trim() === '';
      }
    }
    this.#open = quotedSince > 0 ? { text: cell, line: quotedSince } : undefined;
    if (this.#open) return undefined;
    cells.push(cell);
    const row = this.#row;
    this.#row = undefined;
    return row;
  }
}

function ruleOf(cells: readonly string[], from: number, to: number): Rule {
  const [oldAddress, newAddress] = [cells[from]?.trim() ?? '', cells[to]?.trim() ?? ''];
  // Tables also list pages that are gone for good.
  if (newAddress === '' && isAddress(oldAddress)) return { kind: 'skipped', reason: 'noTarget', text: oldAddress };
  const [column, value] = isAddress(oldAddress) ? [to, newAddress] : [from, oldAddress];
  if (!isAddress(value))
    throw invalid(
      undefined,
      `column ${column + 1} must be a path that begins with / or a full url, not ${JSON.stringify(value)}`,
    );
  return toRule(oldAddress, newAddress);
}

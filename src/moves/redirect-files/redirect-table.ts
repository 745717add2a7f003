import { invalid, OperatorError } from '../../errors.js';
import { TableRows, type Delimiter, type TableRow } from '../../text/table-rows.js';
import { isAddress, toRule, type LocatedRule, type Rule } from './redirect-rule.js';

/** Names of columns, in lower case. */
const OLD_COLUMN = /^(?:path|from|old|old path|old url|source|source url|redirect from|request|request url)$/;
const NEW_COLUMN = /^(?:expected|to|new|new path|new url|target|target url|destination|redirect to|destination url)$/;

interface Columns {
  from: number;
  to: number;
  /** -1 if there is none. */
  action: number;
}

/**
 * A table of old and new addresses. Its header names their columns, such as `from` and `to`. Without a header they are
 * the first two. A column `action`, as `redirects map` writes it, says which rows people have still to review.
 */
export class RedirectTable {
  readonly #file: string;
  readonly #rows: TableRows;
  #columns: Columns | undefined;

  constructor(file: string, delimiter: Delimiter) {
    this.#file = file;
    this.#rows = new TableRows(delimiter);
  }

  /**
   * The rule of the row that ends with this line, if one does.
   * @throws OperatorError if the first row is neither two addresses nor a header
   */
  push(text: string, line: number): { line: number; rule: () => Rule } | undefined {
    const row = this.#rows.push(text, line);
    if (!row || row.cells.every((cell) => cell.trim() === '')) return undefined;
    const [first = '', second = ''] = row.cells.map((cell) => cell.trim());
    if (!this.#columns) {
      const hasHeader = !isAddress(first) || !isAddress(second);
      this.#columns = hasHeader ? this.#readHeader(row) : { from: 0, to: 1, action: -1 };
      if (hasHeader) return undefined;
    }
    const { from, to, action } = this.#columns;
    const act = row.cells[action]?.trim().toLowerCase();
    return {
      line: row.line,
      rule: () => (act === 'review' || act === 'gone' ? { kind: 'undecided' } : ruleOf(row.cells, from, to)),
    };
  }

  end(): LocatedRule[] {
    const line = this.#rows.open?.line;
    return line === undefined ? [] : [{ kind: 'refused', line, reason: 'a quote that is opened here is never closed' }];
  }

  #readHeader({ line, cells }: TableRow): Columns {
    const names = cells.map((cell) => cell.trim().toLowerCase().replaceAll('_', ' '));
    const from = names.findIndex((name) => OLD_COLUMN.test(name));
    const to = names.findIndex((name) => NEW_COLUMN.test(name));
    if (from < 0 || to < 0)
      throw new OperatorError(
        `${this.#file}:${line}: neither two addresses nor a header that names a column of old ones (such as path or from) and one of new ones (such as expected or to)`,
      );
    return { from, to, action: names.indexOf('action') };
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

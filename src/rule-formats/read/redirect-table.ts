import { invalid, OperatorError } from '../../base/errors.js';
import { TableRows, type Delimiter, type TableRow } from '../../text/table-rows.js';
import { isAddress, toGone, toIgnored, toRule, type LocatedRule, type Rule } from './read-rule.js';

/** Names of columns, in lower case. */
const OLD_COLUMN = /^(?:path|from|old|old path|old url|source|source url|redirect from|request|request url)$/;
const NEW_COLUMN = /^(?:expected|to|new|new path|new url|target|target url|destination|redirect to|destination url)$/;
/** What is to be done: `redirect`, `review` or `gone`; or the status with which the server is to answer. */
const ACTION_COLUMN = /^(?:action|status|status code|code|type|redirect type)$/;

interface Columns {
  from: number;
  to: number;
  /** -1 if there is none. */
  action: number;
}

/**
 * A table of old and new addresses. Its header names their columns, such as `from` and `to`. Without a header they are
 * the first two. A column `action`, as `redirects map` writes it, says which rows are gone (`gone`, `410`), which are
 * not worth a redirect (`ignore`), and which people have still to review.
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
    const columns = this.#columns;
    return { line: row.line, rule: () => ruleOf(row.cells, columns) };
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
    return { from, to, action: names.findIndex((name) => ACTION_COLUMN.test(name)) };
  }
}

function ruleOf(cells: readonly string[], { from, to, action }: Columns): Rule {
  const [oldAddress, newAddress] = [cells[from]?.trim() ?? '', cells[to]?.trim() ?? ''];
  const decision = cells[action]?.trim().toLowerCase() ?? '';
  if (decision === 'review') return { kind: 'undecided' };
  if (decision === 'gone' || decision === '410') return toGone(oldAddress);
  if (decision === 'ignore') return toIgnored(oldAddress);
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

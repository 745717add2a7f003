import { ApiError, invalid, OperatorError } from '../../base/errors.js';
import { compileBody } from '../../base/validate.js';
import { TableRows, type Delimiter, type TableRow } from '../../text/table-rows.js';
import { isAddress, refused, MAX_PATH, MAX_URL, type ReaderRule, type Rule, type RuleReader } from './read-rule.js';
import { columnName, readColumns } from './table-columns.js';
import { toRule } from './to-rule.js';

/** Names of columns, as they are compared. */
const OLD_COLUMN =
  /^(?:path|from|old|oldpath|oldurl|source|sourceurl|sourcepath|redirectfrom|redirectsource|request|requesturl|requestpath|requestedurl|origin|legacyurl|legacyurlpattern|fromurl|frompath|urlfrom)$/;
const NEW_COLUMN =
  /^(?:expected|to|new|newpath|newurl|target|targeturl|targetpath|destination|destinationurl|destinationpath|redirectto|redirecttarget|redirecturl|tourl|topath|urlto)$/;
/** Of a table without a header, as Cloudflare's bulk redirects are. */
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
 * the first two. A column `action`, as `redirects map` writes it, says which rows are gone (`gone`, `410`), which are
 * not worth a redirect (`ignore`), and which people have still to review. Columns in which the tools of content
 * management systems say more of a row (`regex`, `status`, `match type`, dates) are read, too.
 */
export class RedirectTable implements RuleReader {
  readonly isOfServer = false;
  readonly #file: string;
  readonly #rows: TableRows;
  #columns: Columns | undefined;

  constructor(file: string, delimiter: Delimiter) {
    this.#file = file;
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
    return [{ line: row.line, rule: () => ruleOf(row.cells, columns) }];
  }

  end(): ReaderRule[] {
    const line = this.#rows.open?.line;
    return line === undefined ? [] : [{ line, rule: refused('a quote that is opened here is never closed') }];
  }

  #readHeader({ line, cells }: TableRow): Columns {
    const names = cells.map(columnName);
    const to = names.findIndex((name) => NEW_COLUMN.test(name));
    const known = names.findIndex((name) => OLD_COLUMN.test(name));
    const from = known < 0 ? names.indexOf('url') : known;
    if (from < 0 || to < 0)
      throw new OperatorError(
        `${this.#file}:${line}: neither two addresses nor a header that names a column of old ones (such as path or from) and one of new ones (such as expected or to)`,
      );
    return { from, to, names, hasHeader: true };
  }
}

function ruleOf(cells: readonly string[], { from, to, names, hasHeader }: Columns): Rule | Rule[] {
  const [oldAddress, newAddress] = [withScheme(cells[from]?.trim() ?? ''), cells[to]?.trim() ?? ''];
  const unnamed = hasHeader ? -1 : cells.findIndex((cell, at) => at > 2 && !/^(?:|true|false)$/i.test(cell.trim()));
  if (unnamed >= 0)
    throw invalid(undefined, `column ${unnamed + 1} has no name: begin the table with a row that names its columns`);
  const others = names.flatMap((name, at) => (at === from || at === to ? [] : [[name, cells[at] ?? ''] as const]));
  return readColumns(others, oldAddress, newAddress, () => {
    // Tables also list pages that are gone for good.
    if (newAddress === '' && isAddress(oldAddress)) return { kind: 'skipped', reason: 'noTarget', text: oldAddress };
    const [column, value] = isAddress(oldAddress) ? [to, newAddress] : [from, oldAddress];
    if (!isAddress(value))
      throw invalid(
        undefined,
        `column ${column + 1} must be a path that begins with / or a full url, not ${JSON.stringify(value)}`,
      );
    return toRule(oldAddress, newAddress);
  });
}

/** Bulk redirects of Cloudflare may name a host without its scheme. */
function withScheme(text: string): string {
  return /^(?:[a-z\d-]+\.)+[a-z]{2,}(?::\d+)?\//i.test(text) ? `https://${text}` : text;
}

const PATH = { type: 'string', minLength: 1, maxLength: MAX_PATH } as const;

const checkRow = compileBody({
  type: 'object',
  required: ['path', 'expected'],
  properties: { path: PATH, expected: { type: 'string', minLength: 1, maxLength: MAX_URL } },
});
const checkGoneRow = compileBody({ type: 'object', required: ['path'], properties: { path: PATH } });

/** `{"path": …, "expected": …}`, with more fields perhaps. @throws ApiError */
export function readJsonRow(text: string): Rule | Rule[] {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new ApiError('invalid_request', { message: 'not valid JSON', cause: error });
  }
  const { target, expected = target, ...others } = value;
  const from = checkGoneRow(value).path.trim();
  const cells = Object.entries(others).filter(([name]) => name !== 'path');
  return readColumns(
    cells.map(([name, one]) => [columnName(name), one === null || one === undefined ? '' : asText(one)] as const),
    from,
    typeof expected === 'string' ? expected.trim() : '',
    () => toRule(from, checkRow({ ...value, expected }).expected.trim(), value),
  );
}

/** Parameters of a query string may be an object: none say nothing. */
function asText(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return typeof value === 'string' ? value : JSON.stringify(value);
  return Object.entries(value)
    .map(([name, one]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`)
    .join('&');
}

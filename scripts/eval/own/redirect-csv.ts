import { OperatorError } from '#src/errors.js';
import { toRule, type LocatedRule } from './redirect-rule.js';

const OLD_NAMES = [
  'path',
  'from',
  'old',
  'old path',
  'old url',
  'source',
  'source url',
  'redirect from',
  'request',
  'request url',
];
const NEW_NAMES = [
  'expected',
  'to',
  'new',
  'new path',
  'new url',
  'target',
  'target url',
  'destination',
  'redirect to',
  'destination url',
];

/**
 * A table with old and new address in columns named so (such as `from` and `to`), or, without a header, in the first
 * two.
 * @throws OperatorError that names the file and line.
 */
export function parseCsv(text: string, file: string, delimiter: ',' | ';' | '\t'): LocatedRule[] {
  const [first, ...rest] = splitCsv(text, file, delimiter);
  if (!first) return [];
  const names = first.cells.map((cell) => cell.trim().toLowerCase().replaceAll('_', ' '));
  const hasHeader = toRule(first.cells[0]?.trim() ?? '', first.cells[1]?.trim() ?? '') === undefined;
  const from = hasHeader ? names.findIndex((name) => OLD_NAMES.includes(name)) : 0;
  const to = hasHeader ? names.findIndex((name) => NEW_NAMES.includes(name)) : 1;
  if (from < 0 || to < 0) {
    throw new OperatorError(
      `${file}:${first.line}: neither two addresses nor a header that names a column of old ones (such as path or from) and one of new ones (such as expected or to)`,
    );
  }
  return (hasHeader ? rest : [first, ...rest]).map(({ line, cells }) => {
    const oldAddress = cells[from]?.trim() ?? '';
    const newAddress = cells[to]?.trim() ?? '';
    // Tables list pages that are gone for good, too.
    if (newAddress === '' && toRule(oldAddress, '/'))
      return { kind: 'skipped', reason: 'noTarget', text: oldAddress, line };
    const rule = toRule(oldAddress, newAddress);
    const [column, value] = toRule(oldAddress, '/') === undefined ? [from, oldAddress] : [to, newAddress];
    if (!rule)
      throw new OperatorError(
        `${file}:${line}: column ${column + 1} must be a path that begins with / or a full url, not ${JSON.stringify(value)}`,
      );
    return { ...rule, line };
  });
}

/**
 * Cells of a table as RFC 4180 writes them: quoted ones may hold delimiters, line breaks and doubled quotes. Blank
 * lines are dropped.
 */
function splitCsv(text: string, file: string, delimiter: string): { line: number; cells: string[] }[] {
  const rows: { line: number; cells: string[] }[] = [];
  let line = 1;
  let row = { line, cells: [] as string[] };
  let cell = '';
  let quotedSince = 0;
  const endRow = (): void => {
    row.cells.push(cell);
    if (row.cells.some((one) => one.trim() !== '')) rows.push(row);
    row = { line: line + 1, cells: [] };
    cell = '';
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? '';
    if (quotedSince > 0) {
      if (character !== '"') cell += character;
      else if (text[i + 1] === '"') cell += text[++i] ?? '';
      else quotedSince = 0;
    } else if (character === '"' && cell.trim() === '') {
      cell = '';
      quotedSince = line;
    } else if (character === delimiter) {
      row.cells.push(cell);
      cell = '';
    } else if (character === '\n') endRow();
    else cell += character;
    if (character === '\n') line++;
  }
  if (quotedSince > 0) throw new OperatorError(`${file}:${quotedSince}: a quote that is opened here is never closed`);
  endRow();
  return rows;
}

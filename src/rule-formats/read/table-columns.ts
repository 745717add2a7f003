import type { RuleAction } from '../../base/glossary.js';
import { columnName, KIND_OF, type Kind, EMPTY, WORDS } from './column-words.js';
import { readDate, readHosts, withConditions, type Conditions } from './conditions.js';
import { namesParts } from '../path-pattern.js';
import { readExpression } from './expressions.js';
import type { FileColumns } from './file-columns.js';
import { codeOf, skipPattern, withTerms, type Rule, type RuleCode, type SkipReason } from './read-rule.js';
import { literalAddress, toBare, toLiteral, toMatchedRule, toPattern, toRule, toWildcard } from './to-rule.js';

/** The columns of a row change the meaning of its addresses in these ways. */
interface RowInfo {
  action: RuleAction | 'review';
  how: 'exact' | 'literal' | 'expression' | 'beginning' | 'wildcard' | 'pattern';
  code?: RuleCode;
  isTemporary?: boolean;
  passQuery?: true;
  when: Conditions;
}

/**
 * Reads the rules of a row by all of its columns. A row is refused if a column states something that cannot be stored.
 * @param cells the cells of all columns but those of the addresses
 * @param plain reads a row whose columns change nothing
 */
export function readColumns(
  columns: FileColumns,
  cells: Iterable<readonly [name: string, text: string]>,
  from: string,
  to: string,
  plain: () => Rule,
): Rule | Rule[] {
  let refused: Rule | undefined;
  const row: RowInfo = { action: 'redirect', how: 'exact', when: {} };
  for (const [name, cell] of cells) {
    const kind = KIND_OF.get(columns.nameOf(name));
    const text = cell.trim();
    if (kind === undefined) columns.note(name, text);
    if (kind === undefined || EMPTY.test(text)) continue;
    const reason = readCell(kind, text, row);
    if (reason) refused ??= { kind: 'skipped', reason, text: `${name} ${JSON.stringify(text)}: ${from} ${to}` };
  }
  if (refused) return refused;
  if (row.action === 'review') return { kind: 'undecided' };
  const code = row.code ?? (row.isTemporary ? 302 : undefined);
  // No path begins with this sign.
  if (row.how === 'exact' && from.startsWith('^')) row.how = 'expression';
  const rule = withTerms(ruleOf(row.action, row.how, from, to, plain), { code, passQuery: row.passQuery });
  return withConditions(rule, to, [row.when]);
}

/** This matches an expression between delimiters, as PHP has it: `#^/old$#`. */
const DELIMITED = /^([#~@!])(.*)\1i?$/s;

function ruleOf(action: RuleAction, how: RowInfo['how'], from: string, to: string, plain: () => Rule): Rule {
  const isRedirect = action === 'redirect';
  const bare = (address: string): Rule => toBare(action === 'gone' ? action : 'ignore', address);
  switch (how) {
    case 'exact':
    case 'wildcard':
      if (how === 'wildcard' && !from.includes('*'))
        return skipPattern(from, to, 'a wildcard has a star in its old address');
      return isRedirect ? plain() : bare(from);
    case 'literal':
      return isRedirect ? toLiteral(from, to) : bare(literalAddress(from));
    case 'pattern': {
      const rule = isRedirect ? toRule(from, to) : bare(from);
      return rule.kind === 'redirect' || rule.kind === 'gone'
        ? toPattern(action, from, isRedirect ? to : undefined)
        : rule;
    }
    case 'beginning': {
      const beginning = from.replace(/\*$/, '');
      if (!beginning.endsWith('/')) return skipPattern(`${from}*`, to, 'a beginning must end with a slash');
      if (isRedirect && namesParts(`${beginning}*`, to)) return toPattern(action, `${beginning}*`, to);
      const below = to.replace(/(?::splat|\*)$/, '');
      return isRedirect ? toWildcard(beginning, below, below !== to) : bare(`${beginning}*`);
    }
    case 'expression':
      if (action === 'ignore') return skipPattern(from, action);
      return toMatchedRule(from, readExpression(from.replace(DELIMITED, '$2')), {
        target: isRedirect ? to : undefined,
      });
  }
}

/** Notes what a cell states; returns the reason if its row is refused. */
function readCell(kind: Kind, text: string, row: RowInfo): SkipReason | undefined {
  const word = columnName(text);
  const isYes = WORDS.yes.has(word);
  const isNo = WORDS.no.has(word);
  switch (kind) {
    case 'action':
      return readAction(text, word, row);
    case 'enabled':
      return isYes ? undefined : isNo ? 'switchedOff' : 'unknown';
    case 'disabled':
      return isNo || NO_DATE.test(text) ? undefined : isYes || readDate(text, false) ? 'switchedOff' : 'unknown';
    case 'wildcard':
      row.how = isNo ? 'literal' : 'wildcard';
      return isYes || isNo ? undefined : 'unknown';
    case 'below':
      return isNo ? undefined : 'pattern';
    case 'permanent':
      row.isTemporary = isNo;
      return isYes || isNo ? undefined : 'unknown';
    case 'passes':
      if (isYes) row.passQuery = true;
      return isYes || isNo ? undefined : 'unknown';
    case 'regex':
      if (isYes || WORDS.expression.has(word)) row.how = 'expression';
      return row.how === 'expression' || isNo ? undefined : 'unknown';
    case 'match':
      return readMatch(word, row);
    case 'host':
      return readHostCell(text, row);
    case 'from':
    case 'until':
      return readDateCell(kind, text, word, row);
    case 'condition':
      return word === '' || WORDS.everybody.has(word) ? undefined : 'conditional';
    case 'query':
      if (/^\??[^=\s]+=\S*$/.test(text)) row.when.query = text.replace(/^\?/, '');
      else if (WORDS.passed.has(word)) row.passQuery = true;
      else if (!WORDS.queryHandling.has(word) && !isYes && !isNo) return 'unknown';
      return undefined;
  }
}

/** Notes the way in which the old address is compared; pathmend's own words are `path`, `prefix` and `pattern`. */
function readMatch(word: string, row: RowInfo): SkipReason | undefined {
  if (WORDS.expression.has(word)) row.how = 'expression';
  else if (WORDS.beginning.has(word)) row.how = 'beginning';
  else if (word === 'path') row.how = 'literal';
  else if (word === 'pattern') row.how = 'pattern';
  else if (!WORDS.exact.has(word)) return WORDS.otherMatches.has(word) ? 'pattern' : 'unknown';
  return undefined;
}

function readHostCell(text: string, row: RowInfo): SkipReason | undefined {
  if (WORDS.anyHost.has(columnName(text))) return undefined;
  const hosts = readHosts(text.split(/[\s,;|]+/).map((host) => host.replace(/^https?:\/\/|\/$/gi, '')));
  if (!hosts) return 'unknown';
  row.when.hosts = hosts;
  return undefined;
}

const NO_DATE = /^[0:. -]*$/;

function readDateCell(kind: 'from' | 'until', text: string, word: string, row: RowInfo): SkipReason | undefined {
  if (NO_DATE.test(text) || word === 'never') return undefined;
  const date = readDate(text, kind === 'until');
  if (date === undefined) return 'date';
  row.when[kind === 'from' ? 'validFrom' : 'validUntil'] = date;
  return undefined;
}

function readAction(text: string, word: string, row: RowInfo): SkipReason | undefined {
  const [digits] = /\b\d{3}\b/.exec(text) ?? [];
  const code = codeOf(digits ?? word);
  if (digits !== undefined && code === undefined) return 'notRedirect';
  if (code !== undefined) row.code = code;
  if (code !== undefined && code > 400) row.action = 'gone';
  else if (code !== undefined) return undefined;
  else if (word === 'review') row.action = 'review';
  else if (word === 'ignore') row.action = row.action === 'gone' ? 'gone' : 'ignore';
  else if (WORDS.expression.has(word) && !WORDS.redirects.has(word)) row.how = 'expression';
  else if (WORDS.switchedOff.has(word)) return 'switchedOff';
  else if (!WORDS.redirects.has(word)) return 'unknown';
  return undefined;
}

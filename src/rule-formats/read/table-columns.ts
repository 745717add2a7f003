import { readExpression } from './expressions.js';
import {
  skipConditional,
  skipPattern,
  toExpressionRule,
  toGone,
  toIgnored,
  toWildcard,
  type Rule,
} from './read-rule.js';

/** A name of a column, or of a field in JSON, as it is compared: `HTTP Status` and `http_status` are one. */
export function columnName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** What columns say whose name is one of these; all others say nothing of a rule's meaning. */
const KINDS = {
  action:
    'action status statuscode httpstatus httpcode httpstatuscode code type redirecttype redirectcode responsestatus responsecode state urlredirecttype',
  enabled: 'enabled isenabled active isactive published ispublished',
  disabled: 'disabled isdisabled inactive',
  regex: 'regex isregex regexp regularexpression isregularexpression',
  match: 'match matching matchtype matchmode redirectmatchtype redirectsrcmatch format comparison patterntype',
  below: 'subpathmatching matchsubpaths includesubpaths',
  date: 'start starts startdate startsat validfrom activefrom fromdate end ends enddate endsat until validuntil validto activeuntil activeto untildate expires expiresat expiry expirydate expiration expirationdate',
  condition:
    'condition conditions country countries language languages useragent device role roles referrer referer cookie cookies header headers ip ipaddress login loginstatus',
  query: 'query querystring sourcequery queryparameters',
} as const;
type Kind = keyof typeof KINDS;
const KIND_OF = new Map<string, Kind>(
  Object.entries(KINDS).flatMap(([kind, names]) =>
    names.split(' ').map((name): [string, Kind] => [name, kind as Kind]),
  ),
);

const YES = words('1 true yes y on x enabled active');
const NO = words('0 false no n off null none disabled inactive');
const REDIRECTS = words(
  'redirect redirection url plain exact permanent permanently temporary temp movedpermanently found seeother perm active enabled live published on true yes 1',
);
const SWITCHED_OFF = words(
  'disabled inactive off no false 0 draft trash trashed deleted expired unpublished pending suspended paused archived',
);
const EXACT = words('exact exactmatch plain literal url fullurl path pathonly simple equals equal is none 0 false');
const EXPRESSION = words('regex regexp regexmatch regularexpression expression 1 true');
const BEGINNING = words('start starts startswith startwith begin begins beginswith prefix');
const PATTERN = words('contains contain end ends endswith wildcard glob pattern');
const EVERYBODY = words('all any und none default everyone');
const QUERY_HANDLING = words('ignore pass exact exactorder preserve keep drop');

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** What the columns of a row say of its addresses. */
interface Said {
  /** It is no redirect of an address: gone, ignored, switched off, or not understood. */
  rule?: Rule;
  how: 'exact' | 'expression' | 'beginning';
  query: string;
}

/**
 * The rule of a row, if its columns say more than that one address leads to another; undefined: they do not. What they
 * say and cannot be kept is refused.
 * @param cells of all other columns, by {@link columnName}
 */
export function readColumns(
  cells: Iterable<readonly [name: string, text: string]>,
  from: string,
  to: string,
): { rule: Rule } | { from: string } {
  const said: Said = { how: 'exact', query: '' };
  for (const [name, cell] of cells) {
    const kind = KIND_OF.get(name);
    const text = cell.trim();
    if (kind === undefined || text === '') continue;
    const refused = readCell(kind, text, said, from);
    if (refused)
      return { rule: { kind: 'skipped', reason: refused, text: `${name} ${JSON.stringify(text)}: ${from} ${to}` } };
  }
  if (said.rule) return { rule: said.rule };
  if (said.query !== '' && (said.how !== 'exact' || from.includes('?')))
    return { rule: skipConditional(`${from} ${to}`) };
  if (said.how === 'expression') return { rule: toExpressionRule(from, readExpression(from), to) };
  if (said.how === 'beginning')
    return { rule: from.endsWith('/') ? toWildcard(from, to, false) : skipPattern(`${from}*`, to) };
  return { from: said.query === '' ? from : `${from}?${said.query}` };
}

/** Notes what a cell says; or why its row is refused. */
function readCell(
  kind: Kind,
  text: string,
  said: Said,
  from: string,
): 'pattern' | 'conditional' | 'notRedirect' | 'switchedOff' | 'unknown' | undefined {
  const word = columnName(text);
  switch (kind) {
    case 'action':
      return readAction(text, word, said, from);
    case 'enabled':
      return YES.has(word) ? undefined : NO.has(word) ? 'switchedOff' : 'unknown';
    case 'disabled':
      return NO.has(word) ? undefined : YES.has(word) ? 'switchedOff' : 'unknown';
    case 'below':
      return NO.has(word) ? undefined : 'pattern';
    case 'regex':
      if (YES.has(word) || EXPRESSION.has(word)) said.how = 'expression';
      return said.how === 'expression' || NO.has(word) ? undefined : 'unknown';
    case 'match':
      if (EXPRESSION.has(word)) said.how = 'expression';
      else if (BEGINNING.has(word)) said.how = 'beginning';
      else if (!EXACT.has(word)) return PATTERN.has(word) ? 'pattern' : 'unknown';
      return undefined;
    case 'date':
      return /^[0:. -]*$/.test(text) || word === 'null' || word === 'never' ? undefined : 'conditional';
    case 'condition':
      return word === '' || EVERYBODY.has(word) ? undefined : 'conditional';
    case 'query':
      if (/^\??[^=\s]+=\S*$/.test(text)) said.query = text.replace(/^\?/, '');
      return said.query !== '' || QUERY_HANDLING.has(word) || YES.has(word) || NO.has(word) ? undefined : 'unknown';
  }
}

function readAction(
  text: string,
  word: string,
  said: Said,
  from: string,
): 'notRedirect' | 'switchedOff' | 'unknown' | undefined {
  const [code] = /\b\d{3}\b/.exec(text) ?? [];
  if (code === '410' || word === 'gone') said.rule = toGone(from);
  else if (code !== undefined) return /^30[12378]$/.test(code) ? undefined : 'notRedirect';
  else if (word === 'review') said.rule = { kind: 'undecided' };
  else if (word === 'ignore') said.rule ??= toIgnored(from);
  else if (EXPRESSION.has(word) && !REDIRECTS.has(word)) said.how = 'expression';
  else if (SWITCHED_OFF.has(word)) return 'switchedOff';
  else if (!REDIRECTS.has(word)) return 'unknown';
  return undefined;
}

import { codeOf } from './codes.js';
import { isQuery, readHostExpression, readHosts, readQueryExpression, type Conditions } from './conditions.js';
import { splitPassed } from './passed-query.js';
import { readExpression } from './expressions.js';
import {
  toExpressionRule,
  toGoneExpression,
  withTerms,
  type Matched,
  type Rule,
  type RuleCode,
  type RuleTerms,
} from './read-rule.js';
import { escapeDecoded } from './source-address.js';

/** Of an element; their names in lower case. */
export type Attributes = Readonly<Record<string, string>>;

/** As IIS names its codes. */
const CODES: readonly (readonly [name: string, code: RuleCode])[] = [
  ['permanent', 301],
  ['found', 302],
  ['seeother', 303],
  ['temporary', 307],
  ['permredirect', 308],
];

/** How an `action` answers. */
export function termsOf(action: Attributes): RuleTerms {
  const name = action['redirecttype']?.trim().toLowerCase() ?? '';
  const code = CODES.find(([one]) => one === name)?.[1] ?? codeOf(action['statuscode'] ?? name);
  return { ...(code ? { code } : {}), ...(isTrue(action['appendquerystring']) ? { passQuery: true } : {}) };
}

export function isTrue(value: string | undefined): boolean {
  return value?.trim().toLowerCase() === 'true';
}

/** What a rule says whose `match` has this expression. */
export function readRedirect(expression: string, syntax: string, action: Attributes, isGone: boolean): Rule {
  const matched = readMatch(expression, syntax);
  const { target, passes } = splitPassed(action['url'] ?? '');
  const rule = isGone
    ? toGoneExpression(expression, matched)
    : toExpressionRule(expression, matched, target, /\{R:1\}$/);
  return withTerms(rule, { ...termsOf(action), ...(passes ? { passQuery: true } : {}) });
}

/** What the conditions of a rule say that must hold together; undefined: one is not understood. */
export function readConditions(adds: readonly Attributes[], syntax: string): Conditions[] | undefined {
  const read = adds.map((add) => readCondition(add, syntax));
  const known = read.filter((one) => one !== undefined);
  return known.length < read.length ? undefined : known;
}

function readCondition(add: Attributes, syntax: string): Conditions | undefined {
  const pattern = add['pattern'] ?? '';
  if (isTrue(add['negate']) || !/^pattern$/i.test(add['matchtype'] ?? 'Pattern') || /^wildcard$/i.test(syntax))
    return undefined;
  const isExact = /^exactmatch$/i.test(syntax);
  const input = add['input']?.toUpperCase();
  if (input === '{HTTP_HOST}' || input === '{SERVER_NAME}') {
    const hosts = isExact ? readHosts([pattern]) : readHostExpression(pattern);
    return hosts && { hosts };
  }
  const asked = isExact && isQuery(pattern) ? pattern : readQueryExpression(isExact ? '' : pattern);
  return input !== '{QUERY_STRING}' || asked === undefined ? undefined : { query: asked };
}

/** What `match` compares with the path, which begins without a slash. */
function readMatch(pattern: string, syntax: string): Matched {
  const kind = syntax.toLowerCase();
  if (kind === 'ecmascript') return readExpression(pattern);
  const isBelow = kind === 'wildcard' && pattern.endsWith('/*');
  const beginning = isBelow ? pattern.slice(0, -1) : pattern;
  if (kind !== 'exactmatch' && (kind !== 'wildcard' || /[*?]/.test(beginning)))
    return { refused: 'a star may stand behind a slash at its end alone' };
  const path = `/${escapeDecoded(beginning)}`;
  return isBelow ? { prefix: path, joinsSlash: false } : { path };
}

import { hostCondition, queryCondition, type Conditions } from './conditions.js';
import { readExpression, type Matched } from './expressions.js';
import { codeOf, type Rule, type RuleCode, type GivenTerms } from './read-rule.js';
import { escapeDecoded } from './source-address.js';
import { allBelow, toMatchedRule } from './to-rule.js';

/** The attributes of an element; their names are in lower case. */
export type Attributes = Readonly<Record<string, string>>;

const CODES: readonly (readonly [name: string, code: RuleCode])[] = [
  ['permanent', 301],
  ['found', 302],
  ['seeother', 303],
  ['temporary', 307],
  ['permredirect', 308],
];

/** Reads the code with which an `action` answers, and whether it passes the query string on. */
export function termsOf(action: Attributes): GivenTerms {
  const name = action['redirecttype']?.trim().toLowerCase() ?? '';
  const code = CODES.find(([word]) => word === name)?.[1] ?? codeOf(action['statuscode'] ?? name);
  return { code, passQuery: isTrue(action['appendquerystring']) };
}

export function isTrue(value: string | undefined): boolean {
  return value?.trim().toLowerCase() === 'true';
}

/** Reads a rule whose `match` has this expression. */
export function readRedirect(expression: string, syntax: string, action: Attributes, isGone: boolean): Rule {
  const target = isGone ? undefined : (action['url'] ?? '');
  return toMatchedRule(expression, readMatch(expression, syntax), { ...termsOf(action), target });
}

/** Reads the conditions of a rule, which must hold together; undefined if one of them is not understood. */
export function readConditions(adds: readonly Attributes[], syntax: string): Conditions[] | undefined {
  const read = adds.map((add) => readCondition(add, syntax));
  const known = read.filter((condition) => condition !== undefined);
  return known.length < read.length ? undefined : known;
}

function readCondition(add: Attributes, syntax: string): Conditions | undefined {
  const pattern = add['pattern'] ?? '';
  if (isTrue(add['negate']) || !/^pattern$/i.test(add['matchtype'] ?? 'Pattern') || /^wildcard$/i.test(syntax))
    return undefined;
  const isExact = /^exactmatch$/i.test(syntax);
  const input = add['input']?.toUpperCase();
  if (input === '{HTTP_HOST}' || input === '{SERVER_NAME}') return hostCondition(pattern, !isExact);
  return input === '{QUERY_STRING}' ? queryCondition(pattern, !isExact) : undefined;
}

/** Reads the pattern of a `match`, which is compared with the path without the slash at its beginning. */
function readMatch(pattern: string, syntax: string): Matched {
  const kind = syntax.toLowerCase();
  if (kind === 'ecmascript') return readExpression(pattern);
  const isBelow = kind === 'wildcard' && pattern.endsWith('/*');
  const beginning = isBelow ? pattern.slice(0, -1) : pattern;
  if (kind !== 'exactmatch' && (kind !== 'wildcard' || /[*?]/.test(beginning)))
    return { refused: 'a star may stand behind a slash at its end alone' };
  const path = `/${escapeDecoded(beginning)}`;
  return isBelow ? allBelow(path) : { path };
}

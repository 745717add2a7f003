import { invalid } from '../../base/errors.js';
import type { RuleAction } from '../../base/glossary.js';
import * as patterns from '../path-pattern.js';
import type { Matched, Groups } from './expressions.js';
import { isAddress, skipPattern, withTerms, type BareAction, type GivenTerms, type Rule } from './read-rule.js';
import { escapeColons } from './source-address.js';

/**
 * Makes a rule of `/old /new`, or of a wildcard as Netlify writes it: `/old/* /new/:splat`, `/old/* /new`. In front of
 * the star, `:number` is any number.
 * @throws ApiError that names `path` or `expected`: it is neither a path nor a full url.
 */
export function toRule(from: string, to: string, row?: Record<string, unknown>): Rule {
  checkAddresses(from, to);
  // In JSON only a star and `:splat` have a meaning; `/$1` may be the name of a page.
  const isPattern = row ? isWildcard : hasPlaceholder;
  if (from.endsWith('/*') && !isPattern(from.slice(0, -1).replace(patterns.ANY_NUMBER, ''))) {
    const rest = /^(.*\/)(?::splat|\*)$/s.exec(to)?.[1];
    if (!isPattern(rest ?? to) && !patterns.namesParts(from, to))
      return toWildcard(from.slice(0, -1), rest ?? to, rest !== undefined);
  }
  if (isPattern(from)) return toPattern('redirect', from, to.replace(/\/\*$/, '/:splat'));
  if (isPattern(to)) return skipPattern(from, to, 'the new address has a placeholder, and the old one none');
  return { kind: 'redirect', from, to, ...(row ? { row } : {}) };
}

/**
 * Makes a rule for all paths that match a pattern as path-pattern.ts reads it. A full url limits it to the host, and a
 * query string to requests with its parameters.
 * @throws ApiError as toRule
 */
export function toPattern(action: RuleAction, from: string, to?: string): Rule {
  checkAddresses(from, to ?? from);
  const path = from.replace(/^https?:\/\/[^/?#]*/i, '').split('?', 1)[0] ?? '';
  const pattern = patterns.parsePathPattern(path);
  const refuse = (why: string): Rule => skipPattern(from, to ?? action, why);
  if (isRoot(path.replace(/\*$/, ''))) return refuse('it is for every path');
  if ('refused' in pattern) return refuse(`the old path ${pattern.refused}`);
  if (!patterns.namesPlaceholder(path) || /\$[\w{]/.test(path + (to ?? '')))
    return refuse('$ has a meaning behind a regular expression alone');
  const why = to === undefined ? undefined : patterns.checkPatternTarget(pattern, to);
  if (why !== undefined) return refuse(`the new address ${why}`);
  return { kind: 'pattern', action, from, ...(to === undefined ? {} : { to }) };
}

/**
 * Makes a rule of `/old /new`, letter by letter: a page's own alias may be called `/old/*` or `/:old`.
 * @throws ApiError as toRule
 */
export function toLiteral(from: string, to: string): Rule {
  checkAddresses(from, to);
  return { kind: 'redirect', from: literalAddress(from), to };
}

/** Encodes an address so that nothing in it is a placeholder. */
export function literalAddress(from: string): string {
  return escapeColons(from).replaceAll('*', '%2A').replaceAll('$', '%24');
}

/**
 * Makes a rule for all paths below `from`. The root is refused: a rule for every path says nothing about any.
 * @throws ApiError as toRule
 */
export function toWildcard(from: string, to: string, keepsRest: boolean): Rule {
  checkAddresses(from, to);
  if (isRoot(from)) return skipPattern(`${from}*`, keepsRest ? `${to}*` : to);
  return { kind: 'wildcard', from, to, keepsRest };
}

/** Matches all paths below a path that ends with a slash. */
export function allBelow(prefix: string): Matched {
  return { pattern: `${prefix}*`, groups: new Map([['1', ':splat']]) };
}

/** The terms and the target of a rule that has an expression. Without a target its paths are gone. */
type TargetAndTerms = GivenTerms & { target?: string | undefined };

/**
 * Makes a rule for the paths that an expression matches. Its target may name groups (`/news/$2/$1`), and pass the
 * request's query string on.
 * @throws ApiError as toRule
 */
export function toMatchedRule(text: string, matched: Matched, { target, ...terms }: TargetAndTerms): Rule {
  const { target: bare, passes } = splitPassed(target ?? '');
  const to = isAddress(bare) ? bare : `/${bare}`;
  if ('refused' in matched) return skipPattern(text, target === undefined ? 'gone' : to, matched.refused);
  const from = 'path' in matched ? matched.path : matched.pattern;
  if (target === undefined) return withTerms(toBare('gone', from), terms);
  const named = 'path' in matched ? { to, parts: 0 } : nameParts(to, matched.groups);
  if ('refused' in named) return skipPattern(text, to, named.refused);
  // A wildcard can name the rest, and no other part.
  const isPattern = named.parts > 1 || (named.parts === 1 && !named.to.endsWith('/:splat'));
  const rule = isPattern ? toPattern('redirect', from, named.to) : toRule(from, named.to);
  return withTerms(rule, { ...terms, passQuery: terms.passQuery === true || passes });
}

/**
 * Makes a rule for a path that is gone for good, or not worth a redirect; with `/*` at its end it is for all paths
 * below.
 * @throws ApiError that names `path`: it is neither a path nor a full url.
 */
export function toBare(action: BareAction, from: string): Rule {
  checkAddresses(from, from);
  const below = from.slice(0, -1);
  if (from.endsWith('/*') && !hasPlaceholder(below.replace(patterns.ANY_NUMBER, '')) && !isRoot(below))
    return { kind: 'bare', action, from: below, below: true };
  if (hasPlaceholder(from)) return toPattern(action, from);
  return action === 'gone' ? { kind: 'gone', from } : { kind: 'bare', action, from, below: false };
}

function isRoot(from: string): boolean {
  return /^(?:https?:\/\/[^/]*)?\/*$/i.test(from);
}

function checkAddresses(from: string, to: string): void {
  if (!isAddress(from)) throw invalid('path', 'path must begin with a slash, or be a full url.');
  if (!isAddress(to)) throw invalid('expected', 'expected must be a full url, or a path that begins with a slash.');
}

function isWildcard(address: string): boolean {
  return /\*|:splat/.test(address);
}

/** Tells whether an address has a placeholder: `*`, `:splat`, `:id`, `$1`, `${x}`. */
function hasPlaceholder(address: string): boolean {
  const bare = address.replace(/^https?:\/\/[^/?#]*/i, '');
  return /\*|\/:[a-z_]\w*|\$\w|\$\{/i.test(bare) || patterns.namesPlaceholder(bare.split('?', 1)[0] ?? '');
}

/** The targets of nginx, Apache and IIS name a group in these ways. */
const PART = /\$\{(\w+)\}|\$(\d|[a-z_]\w*)|\{R:(\d)\}/gi;

const MAX_TARGET = 4_096;

/** A target in which groups have the names of the pattern; `parts` is their number. */
interface Named {
  to: string;
  parts: number;
}

/**
 * Replaces the groups of an expression in a target by the placeholders of the pattern.
 * @returns the target; or why that is impossible
 */
function nameParts(target: string, groups: Groups): Named | { refused: string } {
  if (target.length > MAX_TARGET) return { refused: 'the new address is too long' };
  const origin = /^https?:\/\/[^/?#$]*/i.exec(target)?.[0] ?? '';
  let [to, at] = [origin, origin.length];
  let parts = 0;
  for (const match of target.slice(origin.length).matchAll(PART)) {
    const index = origin.length + match.index;
    const part = groups.get((match.slice(1) as (string | undefined)[]).find((name) => name !== undefined) ?? '');
    if (part === undefined) return { refused: `the expression has no group ${match[0]}` };
    to = joined(to, target.slice(at, index));
    to = to.endsWith('/') ? to + part.replace(/^\//, '') : to + part;
    parts++;
    at = index + match[0].length;
  }
  return { to: joined(to, target.slice(at)), parts };
}

/** Adds a text to a target. It is encoded so that it neither makes the name of a placeholder longer, nor begins one. */
function joined(to: string, text: string): string {
  const plain = text.replace(/(?<![\p{L}\p{N}]):(?=[a-z])/giu, '%3A');
  const isBehind = /:[a-z]\w*$/i.test(to);
  return (
    to + (isBehind ? plain.replace(/^\w/, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`) : plain)
  );
}

/** The targets of servers pass the request's query string on in these ways, before their section. */
const PASSED =
  /(?:\$is_args\$(?:args|query_string)|[?&](?:\$(?:args|query_string)|%\{QUERY_STRING\}|\{QUERY_STRING\}))(?=#|$)/;

/** Takes the request's query string out of a target, and tells whether it was there. */
function splitPassed(target: string): { target: string; passes: boolean } {
  const bare = target.replace(PASSED, '');
  return { target: bare, passes: bare !== target };
}

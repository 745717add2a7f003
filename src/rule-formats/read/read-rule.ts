import { invalid } from '../../base/errors.js';
import * as patterns from '../path-pattern.js';
import { NUMBER } from '../path-pattern.js';
import { nameParts, type Groups } from './named-parts.js';
import { escapeColons } from './source-address.js';

export { NUMBER };

/**
 * What a regular expression of a web server matches: one address, all paths below one, or those of a pattern; or what
 * of it is not understood.
 */
export type Matched =
  | { path: string }
  | { prefix: string; joinsSlash: boolean }
  | { pattern: string; groups: Groups }
  | { refused: string };

/** Codes of HTTP that a rule answers: of a redirect, and of what is gone. */
export const REDIRECT_CODES = [301, 302, 303, 307, 308] as const;
export const GONE_CODES = [410, 451] as const;
export type RuleCode = (typeof REDIRECT_CODES)[number] | (typeof GONE_CODES)[number];

/** When a rule holds, and how it is answered. Absent: not given. */
export interface RuleTerms {
  /** The host that it is for, in lower case, with its port if it has one. Absent: any, or that of `from`. */
  host?: string;
  /** 301 unless given; 410 if gone. */
  code?: RuleCode;
  /** The query string of the request is passed on to the target. */
  passQuery?: true;
  /** ISO 8601: it holds from this moment on, and up to that one. */
  validFrom?: string;
  validUntil?: string;
}

/** A rule of a redirect file. `from` may have a query string: its parameters must be there, in any order. */
export type Rule =
  /** `row`: the rule as a JSON object, if the file has it so. `andBelow`: the server moves what is below, too. */
  | { kind: 'redirect'; from: string; to: string; row?: Record<string, unknown>; andBelow?: true; terms?: RuleTerms }
  | WildcardRule
  | PatternRule
  /** Gone for good: nothing took its place. */
  | { kind: 'gone'; from: string; terms?: RuleTerms }
  | BareRule
  | { kind: 'skipped'; reason: SkipReason; text: string }
  /** A row of `redirects map` that people have still to review. */
  | { kind: 'undecided' }
  /** A comment, a blank line, a brace. */
  | { kind: 'nothing' };

/** What is no redirect: an ignored path, or with `below` all that is below one, which ends with a slash. */
export interface BareRule {
  kind: 'bare';
  action: 'gone' | 'ignore';
  from: string;
  below: boolean;
  terms?: RuleTerms;
}

/** The rule of a pattern (path-pattern.ts): neither of one path nor a wildcard. */
export interface PatternRule {
  kind: 'pattern';
  action: 'redirect' | 'gone' | 'ignore';
  from: string;
  /** Of a redirect. */
  to?: string;
  terms?: RuleTerms;
}

/** All paths below `from`, which ends with a slash, lead to `to`: to the same rest below it, or all to one page. */
export interface WildcardRule {
  kind: 'wildcard';
  from: string;
  /** Ends with a slash if it keeps the rest. */
  to: string;
  keepsRest: boolean;
  terms?: RuleTerms;
}

/** A rule or the reason why it is refused, and the line where it begins. */
export type LocatedRule = { line: number } & (Rule | { kind: 'refused'; reason: string });

/** A rule of a line, to be read alone: another one of the line may be wrong. Of several hosts, it is one for each. */
export type ReadRule = () => Rule | readonly Rule[];

/** A rule of a document, to be read at its line. */
export interface DocumentRule {
  line: number;
  rule: ReadRule;
  /** Of Traefik or IIS, and not of a host. */
  isOfServer?: true;
}

/** Rules that are understood but redirect no single path to a page. */
export const SKIP_REASONS = {
  pattern: 'a pattern: more than a rule can say',
  notRedirect: 'not a redirect: a rewrite, a proxy rule or an error page',
  conditional: 'holds for some visitors only',
  noTarget: 'without a new address',
  date: 'has a date that is not understood: write it as 2024-01-31, or as 2024-01-31T10:00:00Z',
  switchedOff: 'switched off where it comes from',
  unknown: 'says something of the redirect that is not known here',
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;

export const NOTHING: Rule = { kind: 'nothing' };

/**
 * `/old /new`, or with a wildcard as Netlify writes it: `/old/* /new/:splat`, `/old/* /new`; in what stands before its
 * star, `:number` is any number.
 * @throws ApiError that names `path` or `expected`: it is neither a path nor a full url.
 */
export function toRule(from: string, to: string, row?: Record<string, unknown>): Rule {
  checkAddresses(from, to);
  // In JSON only a star and `:splat` have a meaning; `/$1` may be the name of a page.
  const isPattern = row ? isWildcard : hasPlaceholder;
  if (from.endsWith('/*') && !isPattern(withoutNumbers(from.slice(0, -1)))) {
    const rest = /^(.*\/)(?::splat|\*)$/s.exec(to)?.[1];
    if (!isPattern(rest ?? to)) return toWildcard(from.slice(0, -1), rest ?? to, rest !== undefined);
  }
  if (isPattern(from)) return toPattern('redirect', from, to.replace(/\/\*$/, '/:splat'));
  if (isPattern(to)) return skipPattern(from, to, 'the new address has a placeholder, and the old one none');
  return { kind: 'redirect', from, to, ...(row ? { row } : {}) };
}

/** A pattern in words, to compare with what an export writes. */
export function patternText({ from, to, action }: PatternRule): string {
  return `${from} ${to ?? action}`;
}

/**
 * All paths that match a pattern as path-pattern.ts reads it; of a full url, on its host. With a query string, its
 * parameters must be there.
 * @throws ApiError as toRule
 */
export function toPattern(action: PatternRule['action'], from: string, to?: string): Rule {
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
 * `/old /new`, letter by letter: a page's own alias may be called `/old/*` or `/:old`.
 * @throws ApiError as toRule
 */
export function toLiteral(from: string, to: string): Rule {
  checkAddresses(from, to);
  return { kind: 'redirect', from: literalAddress(from), to };
}

/** An address in which nothing is a placeholder. */
export function literalAddress(from: string): string {
  return escapeColons(from).replaceAll('*', '%2A').replaceAll('$', '%24');
}

/**
 * All paths below `from`. Those below the root are refused: a rule for every path says nothing about any.
 * @throws ApiError as toRule
 */
export function toWildcard(from: string, to: string, keepsRest: boolean): Rule {
  checkAddresses(from, to);
  if (isRoot(from)) return skipPattern(`${from}*`, keepsRest ? `${to}*` : to);
  return { kind: 'wildcard', from, to, keepsRest };
}

/** How IIS, Caddy and HAProxy name parts of what they compared. */
const OTHER_PARTS = /\{(?:R:\d|(?:http\.)?re(?:gexp)?\.)|%\[/;

/**
 * A rule of what an expression matches. `back`: how the target names the rest, such as `$1`.
 * @throws ApiError as toRule
 */
export function toExpressionRule(
  expression: string,
  matched: Matched,
  target: string,
  back: RegExp = /\$(?:1|\{1\})$/,
): Rule {
  const to = isAddress(target) ? target : `/${target}`;
  if ('refused' in matched) return skipPattern(expression, to, matched.refused);
  if ('path' in matched) return toRule(matched.path, to);
  if ('pattern' in matched) return toNamedPattern(expression, matched.pattern, matched.groups, to);
  const bare = to.replace(back, '');
  const keepsRest = bare !== to;
  if (hasPlaceholder(bare) || OTHER_PARTS.test(bare) || (keepsRest && !matched.joinsSlash && !bare.endsWith('/')))
    return toNamedPattern(expression, `${matched.prefix}*`, restGroup(matched.joinsSlash), to);
  return toWildcard(matched.prefix, keepsRest && matched.joinsSlash ? `${bare}/` : bare, keepsRest);
}

function restGroup(joinsSlash: boolean): Groups {
  return new Map([['1', joinsSlash ? '/:splat' : ':splat']]);
}

/** A pattern of an expression, whose target names groups: `/news/$2/$1`. */
function toNamedPattern(expression: string, pattern: string, groups: Groups, target: string): Rule {
  const named = nameParts(target, groups);
  if ('refused' in named) return skipPattern(expression, target, named.refused);
  const terms: RuleTerms = named.passesQuery ? { passQuery: true } : {};
  const isNamed = /:[a-z]/i.test(named.to.replace(/^https?:\/\/|\/:splat$/gi, ''));
  const isPattern = isNamed && patterns.namesPlaceholder(pattern);
  return withTerms(isPattern ? toPattern('redirect', pattern, named.to) : toRule(pattern, named.to), terms);
}

/**
 * What is gone for good, or with `/*` at its end all below.
 * @throws ApiError that names `path`: it is neither a path nor a full url.
 */
export function toGone(from: string): Rule {
  if (!isAddress(from)) throw invalid('path', 'path must begin with a slash, or be a full url.');
  return toBare(from, 'gone') ?? (hasPlaceholder(from) ? toPattern('gone', from) : { kind: 'gone', from });
}

/**
 * What is not worth a redirect.
 * @throws ApiError as toGone
 */
export function toIgnored(from: string): Rule {
  if (!isAddress(from)) throw invalid('path', 'path must begin with a slash, or be a full url.');
  if (hasPlaceholder(from)) return toBare(from, 'ignore') ?? toPattern('ignore', from);
  return { kind: 'bare', action: 'ignore', from, below: false };
}

function toBare(from: string, action: BareRule['action']): BareRule | undefined {
  const below = from.slice(0, -1);
  if (!from.endsWith('/*') || hasPlaceholder(withoutNumbers(below))) return undefined;
  return isRoot(below) ? undefined : { kind: 'bare', action, from: below, below: true };
}

/** The same for what an expression matches. */
export function toGoneExpression(text: string, matched: Matched): Rule {
  if ('refused' in matched) return skipPattern(text, 'gone', matched.refused);
  if ('pattern' in matched) return toPattern('gone', matched.pattern);
  return toGone('path' in matched ? matched.path : `${matched.prefix}*`);
}

/** The rule with its other terms: 301 of a redirect, and 410 of what is gone, need no word. */
export function withTerms(rule: Rule, { code, ...others }: RuleTerms): Rule {
  if (!('from' in rule)) return rule;
  const isGone = rule.kind === 'gone' || ('action' in rule && rule.action === 'gone');
  const isIgnored = 'action' in rule && rule.action === 'ignore';
  const fitsLanguages = isGone ? code === 451 : !isIgnored && code !== undefined && code !== 301 && code < 400;
  const terms = { ...rule.terms, ...others, ...(fitsLanguages && code !== undefined ? { code } : {}) };
  return Object.keys(terms).length === 0 ? rule : { ...rule, terms };
}

function withoutNumbers(path: string): string {
  return path
    .split('/')
    .filter((segment) => segment !== NUMBER)
    .join('/');
}

function isRoot(from: string): boolean {
  return /^(?:https?:\/\/[^/]*)?\/*$/i.test(from);
}

export function skipPattern(from: string, to: string, why?: string): Rule {
  return { kind: 'skipped', reason: 'pattern', text: `${from} ${to}${why === undefined ? '' : `: ${why}`}` };
}

/** A rule that stands under a condition that is not kept with it. */
export function skipConditional(text: string): Rule {
  return { kind: 'skipped', reason: 'conditional', text };
}

function checkAddresses(from: string, to: string): void {
  if (!isAddress(from)) throw invalid('path', 'path must begin with a slash, or be a full url.');
  if (!isAddress(to)) throw invalid('expected', 'expected must be a full url, or a path that begins with a slash.');
}

export function isAddress(text: string): boolean {
  return text.startsWith('/') || /^https?:\/\//i.test(text);
}

function isWildcard(address: string): boolean {
  return /\*|:splat/.test(address);
}

/** Whether an address has a placeholder: `*`, `:splat`, `:id`, `$1`, `${x}`. */
function hasPlaceholder(address: string): boolean {
  const bare = address.replace(/^https?:\/\/[^/?#]*/i, '');
  return /\*|\/:[a-z_]\w*|\$\w|\$\{/i.test(bare) || patterns.namesPlaceholder(bare.split('?', 1)[0] ?? '');
}

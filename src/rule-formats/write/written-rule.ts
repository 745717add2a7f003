import { NUMBER, onlyGiven, type RuleCode, type RuleTerms } from '../read/read-rule.js';
import type { PathPattern } from '../path-pattern.js';

/** The requests that a rule is for. */
export interface ExportSource extends RuleTerms {
  /**
   * The path, percent-encoded as browsers send it. With `rest` it is the beginning of all paths that the rule holds
   * for, up to a slash. The path of a pattern is as it is written, with `:name`, `:number` and `*`.
   */
  path: string;
  /**
   * The parameters that a request must have, in any order: `id=7&x=1`, without the question mark; '' for every query
   * string.
   */
  query: string;
  /**
   * Absent: the rule is for one path. Else it is for all paths below `path`, whose rest is `kept` behind `to`, or
   * `dropped`.
   */
  rest?: 'kept' | 'dropped';
  pattern?: PathPattern;
}

/** A redirect as it is exported. Rules with a host come before those without. */
export interface ExportRule extends ExportSource {
  /**
   * The path of one of the site's pages, or a full url; percent-encoded. If the rest is kept, it ends with a slash and
   * the rest follows. The target of a pattern is as it is written, with `:name` and `:splat`.
   */
  to: string;
  /** Whether the rule leads to another site. */
  isAway?: true;
}

/** A path that is answered without a redirect. */
export interface ExportGone extends ExportSource {
  /** Whether the path is not worth a redirect, and not gone. Only formats of data have such rules. */
  ignored?: boolean;
}

export type AnyRule = ExportRule | ExportGone;

export type Lines = string[] | { reason: string };

/** The lines of a rule, or why the server cannot have it. A server may have no rule for what is gone. */
type Writer =
  | { redirectsAlone?: never; write: (rule: AnyRule, number: number) => Lines }
  | { redirectsAlone: true; write: (rule: ExportRule, number: number) => Lines };

/** The format in which one server's rules are written. */
export type RuleFormat = Writer & {
  head: readonly string[];
  /** The text between rules; by default a line break. */
  separator?: string;
  foot?: readonly string[] | ((written: number) => readonly string[]);
  /** The codes that the server answers; absent: all. */
  codes?: readonly RuleCode[];
  /** The reason why the server compares no hosts; absent if it does. */
  noHosts?: string;
  /** Whether the server compares the time. */
  hasDates?: true;
  /** Whether the format has rows, which the reader obeys or not by their dates. */
  isData?: true;
  /**
   * The note for rules whose query string the server cannot pass on to a new address that has one. `byCase` is the note
   * for a server that cannot compare letters in any case.
   */
  keepsOwnQuery?: string;
  byCase?: string;
  /** The maximum number of rules of one path, of wildcards, and of both together. */
  max?: { exact: number; wildcards: number; all?: number; reason: string };
};

/** The way in which a project's paths are compared: by default letter by letter. */
export interface Matching {
  anyCase?: boolean;
}

export function isRedirect(rule: AnyRule): rule is ExportRule {
  return 'to' in rule;
}

/**
 * Returns the place of a rule among others: rules of one path come first, then those of all paths below one, then
 * patterns, as searches obey them.
 */
function tierOf(rule: AnyRule): number {
  if (rule.pattern) return 3;
  if (!rule.rest) return 0;
  return hasNumbers(rule.path) ? 2 : 1;
}

/** Tells whether a segment of a path may be any number. */
export function hasNumbers(path: string): boolean {
  return path.includes(`/${NUMBER}/`);
}

export function isDated({ validFrom, validUntil }: RuleTerms): boolean {
  return validFrom !== undefined || validUntil !== undefined;
}

/**
 * Tells whether a rule holds for every host and query string and at all times, and is no pattern: chains of wildcards
 * go over such rules alone.
 */
export function isPlain(rule: AnyRule): boolean {
  return rule.host === undefined && !isDated(rule) && !rule.pattern && rule.query === '';
}

/** Returns only the terms of a rule. */
export function termsOf({ host, code, passQuery, validFrom, validUntil }: RuleTerms): RuleTerms {
  return onlyGiven({ host, code, passQuery, validFrom, validUntil });
}

/** Returns the key of a rule, which no other rule of a project has. The key of a plain rule is its path. */
export function keyOfRule(rule: AnyRule): string {
  if (isPlain(rule)) return rule.path;
  const { path, query, host = '', validFrom = '', validUntil = '' } = rule;
  return `${host} ${path} ${query} ${validFrom} ${validUntil}`;
}

/** Tells whether a rule has terms, so that it answers otherwise than a redirect without them. */
export function hasTerms(rule: RuleTerms): boolean {
  return Object.keys(termsOf(rule)).length > 0;
}

/** Compares two rules in the order in which servers, and searches, obey them. */
export function inOrder(a: AnyRule, b: AnyRule): number {
  const first = (is: (rule: AnyRule) => boolean): number => Number(is(b)) - Number(is(a));
  return (
    first(({ host }) => host !== undefined) ||
    tierOf(a) - tierOf(b) ||
    first(({ query }) => query !== '') ||
    first(isDated) ||
    // A longer wildcard is more exact, and so is a longer pattern.
    (tierOf(a) > 0 ? b.path.length - a.path.length : 0) ||
    (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
  );
}

/** Writes a rule as `_redirects` of Netlify has it. */
export function wildcardOf({ path, to, rest }: ExportRule): { from: string; to: string } {
  return { from: rest ? `${path}*` : path, to: rest === 'kept' ? `${to}:splat` : to };
}

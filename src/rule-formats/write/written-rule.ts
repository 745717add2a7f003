import { NUMBER, type RuleCode, type RuleTerms } from '../read/read-rule.js';
import type { PathPattern } from '../path-pattern.js';

/** Which requests a rule is for. */
export interface ExportSource extends RuleTerms {
  /**
   * Percent-encoded as browsers send it. With `rest`: the beginning of all paths that it holds for, up to a slash. Of a
   * pattern as it is written, with `:name`, `:number` and `*`.
   */
  path: string;
  /** Parameters that must be there, in any order: `id=7&x=1`, without the question mark; '' for every query string. */
  query: string;
  /** undefined: one path. Else all paths below `path`: `kept` behind `to`, or `dropped`. */
  rest?: 'kept' | 'dropped';
  pattern?: PathPattern;
}

/** A redirect as it is exported. Rules with a host come before those without. */
export interface ExportRule extends ExportSource {
  /**
   * The path of one of the site's pages, or a full url; percent-encoded. Where the rest is kept, it ends with a slash
   * and the rest follows. Of a pattern as it is written, with `:name` and `:splat`.
   */
  to: string;
  /** Leads to another site. */
  isAway?: true;
}

/** A path that is answered without a redirect. */
export interface ExportGone extends ExportSource {
  /** Not worth a redirect, and not gone: data alone. */
  ignored?: boolean;
}

export type AnyRule = ExportRule | ExportGone;

export type Lines = string[] | { reason: string };

/** The lines of a rule, or why the server cannot have it. A server may have no rule for what is gone. */
type Writer =
  | { redirectsAlone?: never; write: (rule: AnyRule, number: number) => Lines }
  | { redirectsAlone: true; write: (rule: ExportRule, number: number) => Lines };

/** How one server's rules are written. */
export type RuleFormat = Writer & {
  head: readonly string[];
  /** Between rules. */
  separator?: string;
  foot?: readonly string[] | ((written: number) => readonly string[]);
  /** The codes that the server answers; absent: all. */
  codes?: readonly RuleCode[];
  /** Why the server compares no hosts. */
  noHosts?: string;
  /** Whether the server compares the time. */
  hasDates?: true;
  /** Rows, of which the reader decides by their dates. */
  isData?: true;
  /** Why the server cannot pass a query string on to a new address that has one, or compare letters in any case. */
  keepsOwnQuery?: string;
  byCase?: string;
  /** Max rules of one path, and max of wildcards. */
  max?: { exact: number; wildcards: number; all?: number; reason: string };
};

/** How a project's paths are compared; letter by letter by default. */
export interface Matching {
  anyCase?: boolean;
}

export function isRedirect(rule: AnyRule): rule is ExportRule {
  return 'to' in rule;
}

/** Rules of one path come first, then what is below one, then patterns, as searches obey them. */
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

/** Tells whether a rule holds for every host and at all times, and is no pattern: chains go over these alone. */
export function isPlain(rule: AnyRule): boolean {
  return rule.host === undefined && !isDated(rule) && !rule.pattern && rule.query === '';
}

/** Takes the terms alone of a rule. */
export function termsOf({ host, code, passQuery, validFrom, validUntil }: RuleTerms): RuleTerms {
  const terms = { host, code, passQuery, validFrom, validUntil };
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value));
}

/** One rule of these, and no other, has this key; that of a plain one is its path. */
export function keyOfRule(rule: AnyRule): string {
  if (isPlain(rule)) return rule.path;
  const { path, query, host = '', validFrom = '', validUntil = '' } = rule;
  return `${host} ${path} ${query} ${validFrom} ${validUntil}`;
}

/** Tells whether a rule answers otherwise than a redirect does without terms. */
export function hasTerms(rule: RuleTerms): boolean {
  return Object.keys(termsOf(rule)).length > 0;
}

/** The order in which servers, and searches, obey rules. */
export function inOrder(a: AnyRule, b: AnyRule): number {
  const first = (is: (rule: AnyRule) => boolean): number => Number(is(b)) - Number(is(a));
  return (
    first(({ host }) => host !== undefined) ||
    tierOf(a) - tierOf(b) ||
    first(({ query }) => query !== '') ||
    first(isDated) ||
    // Of wildcards, and of patterns, the longer one is the more exact.
    (tierOf(a) > 0 ? b.path.length - a.path.length : 0) ||
    (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
  );
}

/** Writes a rule as `_redirects` of Netlify has it. */
export function wildcardOf({ path, to, rest }: ExportRule): { from: string; to: string } {
  return { from: rest ? `${path}*` : path, to: rest === 'kept' ? `${to}:splat` : to };
}

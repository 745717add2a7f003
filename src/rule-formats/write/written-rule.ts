import type { SourceAddress } from '../read/source-address.js';
import { NUMBER, type RuleTerms } from '../read/read-rule.js';
import type { PathPattern } from '../path-pattern.js';

/** A redirect as it is exported. Rules with a host come before those without. */
export interface ExportRule extends RuleTerms {
  /** Percent-encoded as browsers send it. With `rest`: the beginning of all paths that it holds for, up to a slash. */
  path: string;
  /** Parameters that must be there, in any order: `id=7&x=1`, without the question mark; '' for every query string. */
  query: string;
  /**
   * The path of one of the site's pages, or a full url; percent-encoded. Where the rest is kept, it ends with a slash
   * and the rest follows.
   */
  to: string;
  /** Leads to another site. */
  isAway?: true;
  /** undefined: one path. Else all paths below `path`: `kept` behind `to`, or `dropped`. */
  rest?: 'kept' | 'dropped';
  /** Of a rewriting: what follows `path`, and what follows `to`. Only regular expressions say it. */
  rewriting?: Rewriting;
  /** Of a pattern: `path` and `to` as they are written, with `:name`, `:number`, `*` and `:splat`. */
  pattern?: PathPattern;
}

/** A part of an old path: text, so many digits, or whatever is left. */
export type Piece = { text: string } | { digits: number } | { rest: true };

export interface Rewriting {
  old: readonly Piece[];
  /** Text, or the number of a part that is no text, from 1. */
  to: readonly (string | number)[];
}

/** What is answered without a redirect: an address, or with `below` all paths below it. */
export interface ExportGone extends SourceAddress, RuleTerms {
  below?: boolean;
  /** Not worth a redirect, and not gone: data alone. */
  ignored?: boolean;
  /** Of all paths that match: `path` as it is written. */
  pattern?: PathPattern;
}

/** A rule that a server cannot have, and why. */
export interface UnfitRule {
  rule: ExportRule | ExportGone;
  reason: string;
}

export interface Written {
  text: string;
  unfit: UnfitRule[];
}

type Lines = string[] | { reason: string };

/** How one server's rules are written. */
export interface RuleFormat {
  head: readonly string[];
  /** The lines of a rule, or why the server cannot have it. */
  write: (rule: ExportRule, number: number) => Lines;
  /** The same of an address that is gone for good, where the server can answer 410. */
  writeGone?: (source: ExportGone, number: number) => Lines;
  /** Between rules. */
  separator?: string;
  foot?: readonly string[];
  /** Max rules of one path, and max of wildcards. */
  max?: { exact: number; wildcards: number; all?: number; reason: string };
}

/**
 * Writes rules of one path before wildcards: they overrule them. Rules with a query string come first.
 * @param gone addresses that are gone for good
 */
export function writeRules(
  format: RuleFormat,
  rules: readonly ExportRule[],
  gone: readonly ExportGone[] = [],
): Written {
  // Two spellings may be one address to a server (`/a//b`, `/a/b`): nginx refuses a file that has it twice.
  const written = new Set<string>();
  const unfit: UnfitRule[] = [];
  const counts = { exact: 0, wildcards: 0 };
  const { max, writeGone = () => ({ reason: 'this server has no rule for what is gone (410)' }) } = format;
  for (const rule of [...gone, ...rules].sort(inOrder)) {
    const number = written.size + 1;
    const redirect = isRedirect(rule) ? rule : undefined;
    const kind = isBelow(rule) ? 'wildcards' : 'exact';
    const lines = redirect ? format.write(redirect, number) : writeGone(rule, number);
    if ('reason' in lines) unfit.push({ rule, reason: lines.reason });
    else if (max && (counts[kind] >= max[kind] || written.size >= (max.all ?? Infinity)))
      unfit.push({ rule, reason: max.reason });
    else {
      counts[kind]++;
      written.add(lines.join('\n'));
    }
  }
  const body = [...written].join(format.separator ?? '\n');
  return { text: [...format.head, ...(body === '' ? [] : [body]), ...(format.foot ?? []), ''].join('\n'), unfit };
}

function isRedirect(rule: ExportRule | ExportGone): rule is ExportRule {
  return 'to' in rule;
}

function isBelow(rule: ExportRule | ExportGone): boolean {
  return isRedirect(rule) ? rule.rest !== undefined : rule.below === true;
}

/** Rules of one path, then what is below one, then what only a regular expression says, as searches obey them. */
function tierOf(rule: ExportRule | ExportGone): number {
  if (!isBelow(rule)) return 0;
  if (isRedirect(rule) && rule.rewriting) return 3;
  return hasNumbers(rule.path) ? 2 : 1;
}

/** Whether a segment of a path may be any number. */
export function hasNumbers(path: string): boolean {
  return path.includes(`/${NUMBER}/`);
}

/** The order in which servers, and searches, obey rules. */
export function inOrder(a: ExportRule | ExportGone, b: ExportRule | ExportGone): number {
  return (
    tierOf(a) - tierOf(b) ||
    Number(b.query !== '') - Number(a.query !== '') ||
    // Of wildcards, the longer one is the more exact.
    (isBelow(a) ? b.path.length - a.path.length : 0) ||
    (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
  );
}

/** As `_redirects` of Netlify writes it. */
export function wildcardOf({ path, to, rest }: ExportRule): { from: string; to: string } {
  return { from: rest ? `${path}*` : path, to: rest === 'kept' ? `${to}:splat` : to };
}

import { mapYielding } from '../../base/map-yielding.js';
import type { Checked } from '../lint-redirects.js';
import { matchPathPattern, NUMBER, pathParts } from '../path-pattern.js';
import { beginningOf, patternBeginning } from './regular-expressions.js';
import { hasNumbers, hasTerms, type AnyRule, type ExportRule } from './written-rule.js';

/** So many known cases make a wildcard that keeps the rest. */
export const MIN_CASES = 2;
/** And one to a single page, which says less of paths that are not known. */
const MIN_MERGED = 4;
const MAX_DEPTH = 16;

/** Wildcards that are exact for all known cases, by path: the rest is kept, or all lead to one page. */
export async function findWildcards(checked: readonly Checked[]): Promise<Map<string, ExportRule>> {
  const below = new Map<string, { kept: string | undefined; page: string | undefined; cases: number }>();
  await mapYielding(checked, (one) => {
    for (const prefix of prefixesOf(one.path)) {
      const kept = newPrefixOf(one, prefix);
      // A query string may choose another page.
      const page = one.query === '' && !hasTerms(one) && one.path !== prefix ? one.to : undefined;
      const known = below.get(prefix) ?? { kept, page, cases: 0 };
      below.set(prefix, known);
      if (known.kept !== kept) known.kept = undefined;
      if (known.page !== page) known.page = undefined;
      if (!one.isDead) known.cases++;
    }
  });
  const found = new Map<string, ExportRule>();
  for (const [path, { kept, page, cases }] of below) {
    if (kept !== undefined && cases >= MIN_CASES) found.set(path, { path, query: '', to: kept, rest: 'kept' });
    else if (page !== undefined && cases >= MIN_MERGED) found.set(path, { path, query: '', to: page, rest: 'dropped' });
  }
  return found;
}

/** The beginning of the new address, if the rest is the same. */
function newPrefixOf(one: Checked, prefix: string): string | undefined {
  const { path, query, to } = one;
  const rest = path.slice(prefix.length);
  if (rest === '' || query !== '' || hasTerms(one) || !to.endsWith(`/${rest}`)) return undefined;
  const bare = to.slice(0, to.length - rest.length);
  // Not into the host.
  return /^https?:\/\/[^/]+\//i.test(bare) ? bare : undefined;
}

/** Beginnings of a path up to each slash, without the root. */
export function prefixesOf(path: string): string[] {
  const prefixes: string[] = [];
  for (let at = path.indexOf('/', 1); at > 0 && prefixes.length < MAX_DEPTH; at = path.indexOf('/', at + 1))
    prefixes.push(path.slice(0, at + 1));
  return prefixes;
}

/** Whether the longest wildcard above says the same. */
export function isImplied(one: Checked, chosen: ReadonlyMap<string, ExportRule>): boolean {
  const prefix = prefixesOf(one.path).findLast((above) => chosen.has(above));
  const rule = prefix === undefined ? undefined : chosen.get(prefix);
  if (!rule || one.query !== '' || hasTerms(one) || hasTerms(rule)) return false;
  return rule.rest === 'dropped' ? rule.to === one.to : rule.to + one.path.slice(rule.path.length) === one.to;
}

/** Which paths a rule of more than one holds for. */
export interface Matcher {
  rule: AnyRule;
  /** Up to its first placeholder or number. */
  beginning: string;
  matches: (path: string) => boolean;
}

export function toMatcher(rule: AnyRule): Matcher {
  const { path, pattern } = rule;
  if (pattern)
    return {
      rule,
      beginning: patternBeginning(pattern),
      matches: (one) => matchPathPattern(pattern, pathParts(one)) !== undefined,
    };
  if (!hasNumbers(path)) return { rule, beginning: path, matches: (one) => one.startsWith(path) };
  const expression = new RegExp(`^${beginningOf(path, (text) => text.replace(/[^\w-]/g, '\\$&'))}`);
  const beginning = path.slice(0, path.indexOf(`/${NUMBER}/`) + 1);
  return { rule, beginning, matches: (one) => expression.test(one) };
}

/** Whether a rule is for a page of this host, whose query string is this. */
export function isForPage({ host, query }: { host?: string; query: string }, page: URL, its: string): boolean {
  return (host === undefined || host === page.host) && (query === '' || query === its);
}

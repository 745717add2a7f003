import { matchPathPattern, pathParts } from '../path-pattern.js';
import { NUMBER } from '../read/read-rule.js';
import { createAnswer, patternBeginning } from './regular-expressions.js';
import { hasNumbers, type AnyRule } from './written-rule.js';

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
  const answer = createAnswer({ path, query: '', to: '', rest: 'dropped' });
  const beginning = path.slice(0, path.indexOf(`/${NUMBER}/`) + 1);
  return { rule, beginning, matches: (one) => answer(one) !== undefined };
}

/** Whether a rule is for a page of this host, whose query string is this. */
export function isForPage({ host, query }: { host?: string; query: string }, page: URL, its: string): boolean {
  return (host === undefined || host === page.host) && (query === '' || query === its);
}

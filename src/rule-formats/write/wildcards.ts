import { matchPathPattern, NUMBER, pathParts } from '../path-pattern.js';
import { beginningOf, patternBeginning } from './regular-expressions.js';
import { hasNumbers, type AnyRule } from './written-rule.js';

const MAX_DEPTH = 16;

/** Lists the beginnings of a path up to each slash, without the root. */
export function prefixesOf(path: string): string[] {
  const prefixes: string[] = [];
  for (let at = path.indexOf('/', 1); at > 0 && prefixes.length < MAX_DEPTH; at = path.indexOf('/', at + 1))
    prefixes.push(path.slice(0, at + 1));
  return prefixes;
}

/** Tells which paths a rule of more than one holds for. */
export interface Matcher {
  rule: AnyRule;
  /** The path up to its first placeholder or number. */
  beginning: string;
  matches: (path: string) => boolean;
}

export function toMatcher(rule: AnyRule): Matcher {
  const { path, pattern } = rule;
  if (pattern)
    return {
      rule,
      beginning: patternBeginning(pattern),
      matches: (requested) => matchPathPattern(pattern, pathParts(requested)) !== undefined,
    };
  if (!hasNumbers(path)) return { rule, beginning: path, matches: (requested) => requested.startsWith(path) };
  const expression = new RegExp(`^${beginningOf(path, (text) => text.replace(/[^\w-]/g, '\\$&'))}`);
  const beginning = path.slice(0, path.indexOf(`/${NUMBER}/`) + 1);
  return { rule, beginning, matches: (requested) => expression.test(requested) };
}

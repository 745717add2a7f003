import { groupBy } from '../../base/group-by.js';
import {
  fillTarget,
  literalLength,
  matchPathPattern,
  NUMBER,
  pathParts,
  patternStart,
  startsOf,
  type PathPattern,
} from '../path-pattern.js';
import { beginningOf, patternBeginning, patternPath } from './regular-expressions.js';
import { hasNumbers, isPlain, type AnyRule } from './written-rule.js';

const MAX_DEPTH = 16;
/** This name stands for a path below a wildcard of which no name is known. */
export const ANY = 'pathmend-example';

/** Gives an example of a path that a pattern matches, and where the pattern leads it. */
export function exampleOf(pattern: PathPattern, to: string): { path: string; url: string } {
  const values = new Map<string, string>();
  const path = patternPath(pattern, String, ({ name, takes }) => {
    values.set(name, takes === 'number' ? '1' : ANY);
    return values.get(name) ?? '';
  });
  return { path, url: fillTarget(to, values) };
}

/** Lists the beginnings of a path up to each slash, without the root. */
export function prefixesOf(path: string): string[] {
  const prefixes: string[] = [];
  for (let at = path.indexOf('/', 1); at > 0 && prefixes.length < MAX_DEPTH; at = path.indexOf('/', at + 1))
    prefixes.push(path.slice(0, at + 1));
  return prefixes;
}

/** A matcher tells for which paths a rule holds that is for more than one path. */
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

/** Finds where the pattern that decides about a path leads it. */
export type FindPattern = (path: string) => { url: string; active: boolean } | 'gone' | undefined;

/**
 * Finds patterns as searches obey them: the pattern with the longest literal text decides. Only patterns count that
 * hold for every host and at all times.
 */
export function openPatterns(rules: readonly AnyRule[]): FindPattern {
  const lasting = rules.filter((rule) => rule.pattern && isPlain({ ...rule, pattern: undefined }));
  const byStart = groupBy(lasting, ({ pattern }) => pattern && patternStart(pattern));
  return (path) => {
    const parts = byStart.size === 0 ? [] : pathParts(path);
    const begun = startsOf(parts).flatMap((start) => byStart.get(start) ?? []);
    for (const rule of begun.sort((a, b) => literalLength(b.path) - literalLength(a.path))) {
      const taken = rule.pattern && matchPathPattern(rule.pattern, parts);
      if (taken) return 'to' in rule ? { url: fillTarget(rule.to, taken), active: rule.isAway === true } : 'gone';
    }
    return undefined;
  };
}

import { fillTarget, literalLength, matchPathPattern, pathParts, patternStart, startsOf } from './path-pattern.js';
import { isPlain, type AnyRule } from './write/written-rule.js';

/** Finds where the pattern that decides about a path leads it. */
export type FindPattern = (path: string) => { url: string; active: boolean } | 'gone' | undefined;

/**
 * Finds patterns as searches obey them: the pattern with the longest literal text decides. Only patterns count that
 * hold for every host and at all times.
 */
export function openPatterns(rules: readonly AnyRule[]): FindPattern {
  const byStart = new Map<string, AnyRule[]>();
  for (const rule of rules) {
    const start = rule.pattern && isPlain({ ...rule, pattern: undefined }) ? patternStart(rule.pattern) : undefined;
    if (start !== undefined) byStart.set(start, [...(byStart.get(start) ?? []), rule]);
  }
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

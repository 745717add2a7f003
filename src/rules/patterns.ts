import { LRUCache } from 'lru-cache';
import { groupBy } from '../base/group-by.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import { query } from '../platform/database/sql.js';
import { compilePattern, isInForce } from './match-rule.js';
import type { RequestedPath } from './requested-path.js';
import { selectPatterns, type PathRule } from './store/rules-of-path.js';

/** A project's patterns by their look-up keys. */
type Patterns = ReadonlyMap<string, readonly PathRule[]>;

/**
 * The patterns of some projects at their newest known versions. They are kept because a thousand patterns may begin
 * alike, and each path is compared with all of these.
 */
const known = new LRUCache<string, { patterns: Patterns; version: number; size: number }>({
  max: 5_000,
  // The size is in characters; the object of a pattern counts as a thousand.
  maxSize: 16_000_000,
  sizeCalculation: ({ size }) => size,
});
const PATTERN_SIZE = 1_000;

/** Reads a project's patterns, as they were at this version of its index or at a later one. */
export async function readPatterns({ db, projectId }: Tenant, version: number): Promise<Patterns> {
  const kept = known.get(projectId);
  if (kept && kept.version >= version) return kept.patterns;
  const rows = await query(selectPatterns(projectId)).rows(db);
  const rules = rows.map((row) => ({
    ...row,
    pattern: compilePattern(row.path),
    // Dates pass while the pattern is kept, so that they are compared at each read.
    get in_force() {
      return isInForce(row);
    },
  }));
  const patterns = groupBy(rules, ({ start }) => start);
  const size = rules.reduce((sum, { path, target }) => sum + path.length + (target?.length ?? 0) + PATTERN_SIZE, 1);
  known.set(projectId, { patterns, version, size });
  return patterns;
}

/** Finds the patterns that begin as a path does. */
export function patternsOf(patterns: Patterns, { starts }: RequestedPath): PathRule[] {
  return patterns.size === 0 ? [] : [...new Set(starts)].flatMap((start) => patterns.get(start) ?? []);
}

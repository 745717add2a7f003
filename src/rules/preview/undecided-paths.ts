import { findIndexedUrls } from '../store/recorded-not-founds.js';
import { pathKey } from '../../text/paths/plain-path.js';
import type { RuleDeps } from '../rule.js';
import { findRules } from './try-rules.js';

/** Those of the missing paths, 1,000 at most, that nothing is decided about: no rule, no indexed page. */
export async function findUndecided<Row extends { path: string }>(
  deps: RuleDeps,
  projectId: string,
  rows: readonly Row[],
): Promise<Row[]> {
  if (rows.length === 0) return [];
  const paths = rows.map(({ path }) => path);
  const rules = await findRules(deps, projectId, paths);
  const keys = paths.map(pathKey);
  const live = new Set((await findIndexedUrls(deps.tenants.of(projectId).db, projectId, keys)).map(({ key }) => key));
  return rows.filter((_, at) => !rules[at] && !live.has(keys[at]?.toString('hex') ?? ''));
}

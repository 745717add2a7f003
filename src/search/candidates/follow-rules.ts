import type { Tenant } from '../../platform/database/session/tenants.js';
import { query } from '../../platform/database/sql.js';
import { parseRequestedPath, type RequestedPath } from '../../rules/requested-path.js';
import { followRules } from '../../rules/follow-rules.js';
import { matchRules } from '../../rules/match-rule.js';
import { patternsOf, readPatterns } from '../../rules/patterns.js';
import { readTarget } from '../../rule-formats/read-redirect.js';
import { readHosts } from '../../rules/store/page-urls.js';
import { findPagesAt, selectRulesOfPath, type PathRule } from '../../rules/store/rules-of-path.js';
import { plainPath } from '../../text/paths/plain-path.js';
import { selectLearnedRedirects, type SearchedProject } from '../store/learned-redirects.js';
import { weighLearnedRedirects } from '../ranking/learned-redirects/weigh-redirects.js';

type Searched = Tenant & SearchedProject & { indexVersion: number };

/** Tells whether a pattern matches a path; another rule may still decide about it. */
export async function matchesPattern(of: Searched, path: RequestedPath): Promise<boolean> {
  return matchRules(path, patternsOf(await readPatterns(of, of.indexVersion), path)).length > 0;
}

/** Follows a path's rules, hop by hop. `known`: its own, if read. `isDated`: a rule on the way has a date. */
export async function followStored(
  of: Searched,
  first: RequestedPath,
  known?: readonly PathRule[],
  signal?: AbortSignal,
) {
  let isDated = false;
  let hosts: ReadonlySet<string> | undefined;
  const followed = await followRules(first, {
    rulesAt: async (path) => {
      const pathRules =
        (path === first ? known : undefined) ?? (await query(selectRulesOfPath(of.projectId, path)).rows(of.db));
      const rules = [...pathRules, ...patternsOf(await readPatterns(of, of.indexVersion), path)];
      isDated ||= rules.some(({ is_dated }) => is_dated);
      return matchRules(path, rules);
    },
    pagesAt: (rules) =>
      findPagesAt(
        of,
        rules.map(({ isPattern, target }) => (isPattern && target !== undefined ? readTarget(target) : undefined)),
      ),
    isElsewhere: async (host) => !(hosts ??= await readHosts(of.db, of.projectId)).has(host),
    signal,
  });
  return { ...followed, isDated };
}

/** Returns the rule of a path and the evidence of {@link weighLearnedRedirects}, without a search. */
export async function lookUpRedirects(of: Searched, path: string, host: string | null = null, signal?: AbortSignal) {
  const plain = plainPath(path);
  const requested = parseRequestedPath(path, host, plain);
  const redirects = await query(selectLearnedRedirects(of, requested)).rows(of.db);
  const followed = await followStored(of, requested, undefined, signal);
  return { ...followed, moved: weighLearnedRedirects(plain, redirects, requested, followed.rule) };
}

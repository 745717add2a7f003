import type { Tenant } from '../../platform/database/session/tenants.js';
import { parseRequestedPath, type RequestedPath } from '../../rules/requested-path.js';
import { followRules, type FollowedRule } from '../../rules/follow-rules.js';
import { rulesOf } from '../../rules/match-rule.js';
import { readHosts } from '../../rules/store/page-urls.js';
import { findPageAt, findRulesOfPath, type PathRule } from '../../rules/store/rules-of-path.js';
import { plainPath } from '../../text/paths/plain-path.js';
import { type SearchedProject, findLearnedRedirects } from '../store/learned-redirects.js';
import { weighLearnedRedirects } from '../ranking/learned-redirects/weigh-redirects.js';

interface Followed extends FollowedRule {
  /** A rule on the way has a date: the answer is not to be kept. */
  isDated: boolean;
}

/** Follows the rules of a path. Asks the database for each hop after the first. */
export async function followStored(
  of: Tenant & SearchedProject,
  first: RequestedPath,
  own: readonly PathRule[],
  signal?: AbortSignal,
): Promise<Followed> {
  let isDated = false;
  let hosts: ReadonlySet<string> | undefined;
  const followed = await followRules(first, {
    rulesAt: async (asked) => {
      const rules = asked === first ? own : await findRulesOfPath(of, asked);
      isDated ||= rules.some(({ is_dated }) => is_dated);
      return rulesOf(asked, rules);
    },
    pageAt: async (to, { isPattern }) => (isPattern ? (await findPageAt(of, to))?.page_id : undefined),
    isElsewhere: async (host) => !(hosts ??= await readHosts(of.db, of.projectId)).has(host),
    signal,
  });
  return { ...followed, isDated };
}

/**
 * The rule of a path, and the evidence of {@link weighLearnedRedirects}, without a search; empty when no redirect is
 * known.
 */
export async function lookUpRedirects(
  of: Tenant & SearchedProject,
  path: string,
  host: string | null = null,
  signal?: AbortSignal,
): Promise<Followed & { moved: Map<string, number> }> {
  const plain = plainPath(path);
  const asked = parseRequestedPath(path, host, plain);
  const { redirects, rules } = await findLearnedRedirects(of, asked);
  const followed = await followStored(of, asked, rules, signal);
  return { ...followed, moved: weighLearnedRedirects(plain, redirects, asked, followed.rule) };
}

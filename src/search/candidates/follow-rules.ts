import type { Tenant } from '../../platform/database/session/tenants.js';
import { encodeTarget } from '../../rule-formats/read/source-address.js';
import { readTarget, type Target } from '../../rule-formats/read-redirect.js';
import { parseRequestedPath, type RequestedPath } from '../../rules/requested-path.js';
import { rulesOf, type MatchedRule } from '../../rules/match-rule.js';
import { readHosts } from '../../rules/store/page-urls.js';
import { findPageAt, findRulesOfPath, type PathRule } from '../../rules/store/rules-of-path.js';
import { pathKey, plainPath } from '../../text/paths/plain-path.js';
import { type SearchedProject, findLearnedRedirects } from '../store/learned-redirects.js';
import { weighLearnedRedirects } from '../ranking/learned-redirects/weigh-redirects.js';

/** A path on the way, and the rules that it falls under. */
interface Stop {
  asked: RequestedPath;
  rules: readonly PathRule[];
}

export interface FollowedRule {
  /** Of the path that was asked; undefined: none, or a loop. */
  rule: MatchedRule | undefined;
  /** The path whose rule leads to the page, where that is another one. */
  by: RequestedPath | undefined;
  /** The page is no row of that path's rules: a pattern made its address. */
  isMade?: true;
  /** A rule on the way has a date: the answer is not to be kept. */
  isDated: boolean;
}

/** Rules that one answer follows. */
const MAX_HOPS = 10;

/**
 * The rule that decides about a dead path, followed to its end: a page, what is gone, or an address on another host.
 * One that ends nowhere leaves the answer to the next rule of the path; if none answers, a redirect of the path itself
 * still stands, and no guess in its place. A loop counts as no rule. Asks the database for each hop after the first.
 */
export async function followRules(of: Tenant & SearchedProject, first: Stop): Promise<FollowedRule> {
  const seen = new Set([pathKey(first.asked.raw).toString('hex')]);
  let hosts: ReadonlySet<string> | undefined;
  const state = { loops: false, isDated: false };

  async function end(stop: Stop): Promise<(Omit<FollowedRule, 'isDated'> & { rule: MatchedRule }) | undefined> {
    state.isDated ||= stop.rules.some(({ is_dated }) => is_dated);
    const by = stop === first ? undefined : stop.asked;
    for (const { target, ...rule } of rulesOf(stop.asked, stop.rules)) {
      if (target === undefined) return { rule, by };
      const to = readTarget(target);
      // What a pattern took may be no name of a page: it is not the home page's.
      if (!to || (rule.isPattern && to.path !== '/' && !/[\p{L}\p{N}]/u.test(to.path))) continue;
      if ('host' in to) {
        hosts ??= await readHosts(of.db, of.projectId);
        if (!hosts.has(to.host)) return { rule: { ...rule, leadsTo: encodeTarget(to.written) }, by: undefined };
      }
      // Its page is not looked up with it.
      const page = rule.isPattern ? await findPageAt(of, to) : undefined;
      if (page?.page_id === null) continue;
      if (page) return { rule: { ...rule, pageId: page.page_id }, by, isMade: true };
      const id = pathKey(to.path).toString('hex');
      if (seen.has(id) || seen.size > MAX_HOPS) {
        state.loops = true;
        continue;
      }
      seen.add(id);
      const asked = askOnSite(to, stop.asked);
      const found = await end({ asked, rules: await findRulesOfPath(of, asked) });
      if (found) return { ...found, rule: throughTo(rule, found.rule) };
    }
    return undefined;
  }

  const found = await end(first);
  if (found || state.loops) return { ...(found ?? { rule: undefined, by: undefined }), isDated: state.isDated };
  const own = rulesOf(first.asked, first.rules).find(({ oldPrefix }) => oldPrefix === undefined);
  if (!own) return { rule: undefined, by: undefined, isDated: state.isDated };
  return { rule: own, by: undefined, isDated: state.isDated };
}

/** A target on the site, asked on its host, or on the one that was asked before. */
function askOnSite(to: Target, before: RequestedPath): RequestedPath {
  return parseRequestedPath(to.path, 'host' in to ? to.host : (before.hosts[0] ?? null));
}

/** A rule that leads over others to where the last of them leads. */
function throughTo(first: MatchedRule, last: MatchedRule): MatchedRule {
  const { key, oldPrefix, code, passQuery, section } = first;
  const isSame = first.action === last.action;
  return {
    ...last,
    key,
    oldPrefix,
    code: isSame ? code : last.code,
    passQuery,
    section: last.section === '' ? section : last.section,
  };
}

/**
 * The rule of a path, and the evidence of {@link weighLearnedRedirects}, without a search; empty when no redirect is
 * known.
 */
export async function lookUpRedirects(
  of: Tenant & SearchedProject,
  path: string,
  host: string | null = null,
): Promise<FollowedRule & { moved: Map<string, number> }> {
  const plain = plainPath(path);
  const asked = parseRequestedPath(path, host, plain);
  const { redirects, rules } = await findLearnedRedirects(of, asked);
  const followed = await followRules(of, { asked, rules });
  return { ...followed, moved: weighLearnedRedirects(plain, redirects, asked, followed.rule) };
}

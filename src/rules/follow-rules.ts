import { LIMITS } from '../base/request-limits.js';
import { encodeTarget } from '../rule-formats/read/source-address.js';
import { readTarget } from '../rule-formats/read-redirect.js';
import { pathKey } from '../text/paths/plain-path.js';
import { parseRequestedPath, type RequestedPath } from './requested-path.js';
import { MAX_TRIED, type FoundRule, type MatchedRule } from './match-rule.js';

/** The source of the rules and pages while a rule is followed: the database for a search, memory for a preview. */
export interface RuleSource {
  /** The rules of a path, in the order in which they are obeyed. */
  rulesAt: (requested: RequestedPath) => Promise<readonly FoundRule[]>;
  /**
   * The indexed pages at the targets of rules whose page {@link rulesAt} has not looked up. Null: the page is not
   * indexed yet; undefined: there is no page.
   */
  pagesAt: (rules: readonly FoundRule[]) => Promise<readonly (string | null | undefined)[]>;
  isElsewhere: (host: string) => Promise<boolean> | boolean;
  /** A signal that is aborted when the caller has gone. */
  signal?: AbortSignal | undefined;
}

export interface FollowedRule {
  /** The rule of the requested path; undefined: it has no rule, or its rules form a loop. */
  rule: MatchedRule | undefined;
  /** The path whose rule leads to the page, if that is not the requested path. */
  by: RequestedPath | undefined;
}

/** The maximum number of rules that one answer follows, one after the other. */
const MAX_HOPS = 10;

/** The maximum number of characters of a Location, all ASCII: servers and proxies refuse longer headers. */
const MAX_LOCATION = 8_192;

/**
 * Follows the rule that decides about a dead path to its end: a page, a path that is gone, or an address on another
 * host. A rule that ends nowhere leaves the answer to the next rule of the path. If no rule answers, the first one
 * still stands, and no guess takes its place. A loop counts as no rule, and so does a path without an answer after
 * {@link MAX_TRIED} rules.
 */
export async function followRules(first: RequestedPath, source: RuleSource): Promise<FollowedRule> {
  const seen = new Set([pathKey(first.raw).toString('hex')]);
  const state = { loops: false, tried: 0 };

  async function end(
    requested: RequestedPath,
    rules: readonly FoundRule[],
  ): Promise<(FollowedRule & { rule: MatchedRule }) | undefined> {
    const by = requested === first ? undefined : requested;
    let pages: readonly (string | null | undefined)[] = [];
    let looked = { from: 0, to: 0 };
    for (const [at, { target, isPending, ...rule }] of rules.entries()) {
      if (target === undefined) return { rule, by };
      source.signal?.throwIfAborted();
      if (++state.tried > MAX_TRIED) state.loops = true;
      if (state.tried > MAX_TRIED) return undefined;
      if (isPending) continue;
      const to = readTarget(target);
      // A pattern may make a path without letters and digits. It has the home page's key, but does not name the home
      // page.
      if (!to || (rule.isPattern && to.path !== '/' && !/[\p{L}\p{N}]/u.test(to.path))) continue;
      if ('host' in to && (await source.isElsewhere(to.host)))
        return { rule: { ...rule, leadsTo: encodeTarget(to.written) }, by: undefined };
      if (at >= looked.to) {
        // Nearly always the first target has a page. If it has none, the pages of all other targets are looked up
        // together.
        looked = { from: at, to: at === 0 ? 1 : rules.length };
        pages = await source.pagesAt(rules.slice(looked.from, looked.to));
      }
      const page = pages[at - looked.from];
      if (page === null) continue;
      if (page !== undefined) return { rule: { ...rule, pageId: page }, by };
      // No page has a path this long. Patterns that lead to each other may make paths longer and longer.
      if (to.path.length > LIMITS.pathCharacters) continue;
      const id = pathKey(to.path).toString('hex');
      if (seen.has(id) || seen.size > MAX_HOPS) {
        state.loops = true;
        continue;
      }
      seen.add(id);
      // The next path is on the host of the target, or without one on the host that was requested before.
      const next = parseRequestedPath(to.path, 'host' in to ? to.host : (requested.hosts[0] ?? null));
      const followed = await end(next, await source.rulesAt(next));
      if (followed) return { ...followed, rule: throughTo(rule, followed.rule) };
    }
    return undefined;
  }

  const rules = await source.rulesAt(first);
  const followed = await end(first, rules);
  if (followed || state.loops) return followed ?? { rule: undefined, by: undefined };
  return { rule: rules[0], by: undefined };
}

/** Returns the first rule of a chain with the target of the last one. */
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

/** The Location of an answer, with the query string of the request if that is passed on; undefined: it is too long. */
export function locationOf(href: string, requested: string, passQuery: boolean): string | undefined {
  const query = passQuery ? (/\?([^#]*)/.exec(requested)?.[1] ?? '') : '';
  const [bare = '', section] = href.split(/#(.*)/s, 2);
  const location =
    query === ''
      ? href
      : encodeTarget(`${bare}${bare.includes('?') ? '&' : '?'}${query}${section === undefined ? '' : `#${section}`}`);
  return location.length > MAX_LOCATION ? undefined : location;
}

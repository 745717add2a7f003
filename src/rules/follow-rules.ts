import { LIMITS } from '../base/request-limits.js';
import { encodeTarget } from '../rule-formats/read/source-address.js';
import { readTarget } from '../rule-formats/read-redirect.js';
import { pathKey } from '../text/paths/plain-path.js';
import { parseRequestedPath, type RequestedPath } from './requested-path.js';
import { MAX_TRIED, type FoundRule, type MatchedRule } from './match-rule.js';

/** What rules are followed in: the database for a search, memory for a preview. */
export interface RuleSource {
  /** The rules of a path, in the order in which they are obeyed. */
  rulesAt: (asked: RequestedPath) => Promise<readonly FoundRule[]>;
  /** The pages at the targets of rules, where {@link rulesAt} has not looked for them; null: not indexed yet. */
  pagesAt: (rules: readonly FoundRule[]) => Promise<readonly (string | null | undefined)[]>;
  isElsewhere: (host: string) => Promise<boolean> | boolean;
  /** It is aborted when the caller has gone. */
  signal?: AbortSignal | undefined;
}

export interface FollowedRule {
  /** Of the path that was asked; undefined: none, or a loop. */
  rule: MatchedRule | undefined;
  /** The path whose rule leads to the page, where that is another one. */
  by: RequestedPath | undefined;
}

/** Rules that one answer follows. */
const MAX_HOPS = 10;

/** In characters, all ASCII: servers and proxies refuse longer headers. */
const MAX_LOCATION = 8_192;

/**
 * The rule that decides about a dead path, followed to its end: a page, what is gone, or an address on another host.
 * One that ends nowhere leaves the answer to the next rule of the path; if none answers, the first of them still
 * stands, and no guess in its place. A loop counts as no rule, and so does what is not known after {@link MAX_TRIED}
 * rules.
 */
export async function followRules(first: RequestedPath, source: RuleSource): Promise<FollowedRule> {
  const seen = new Set([pathKey(first.raw).toString('hex')]);
  const state = { loops: false, tried: 0 };

  async function end(
    asked: RequestedPath,
    rules: readonly FoundRule[],
  ): Promise<(FollowedRule & { rule: MatchedRule }) | undefined> {
    const by = asked === first ? undefined : asked;
    let pages: readonly (string | null | undefined)[] = [];
    let looked = { from: 0, to: 0 };
    for (const [at, { target, isPending, ...rule }] of rules.entries()) {
      if (target === undefined) return { rule, by };
      source.signal?.throwIfAborted();
      if (++state.tried > MAX_TRIED) state.loops = true;
      if (state.tried > MAX_TRIED) return undefined;
      if (isPending) continue;
      const to = readTarget(target);
      // What a pattern took may be no name of a page: it is not the home page's.
      if (!to || (rule.isPattern && to.path !== '/' && !/[\p{L}\p{N}]/u.test(to.path))) continue;
      if ('host' in to && (await source.isElsewhere(to.host)))
        return { rule: { ...rule, leadsTo: encodeTarget(to.written) }, by: undefined };
      if (at >= looked.to) {
        // Nearly always the first has a page; else those of the others are looked for together.
        looked = { from: at, to: at === 0 ? 1 : rules.length };
        pages = await source.pagesAt(rules.slice(looked.from, looked.to));
      }
      const page = pages[at - looked.from];
      if (page === null) continue;
      if (page !== undefined) return { rule: { ...rule, pageId: page }, by };
      // No page has so long a path: patterns may make them longer and longer.
      if (to.path.length > LIMITS.pathCharacters) continue;
      const id = pathKey(to.path).toString('hex');
      if (seen.has(id) || seen.size > MAX_HOPS) {
        state.loops = true;
        continue;
      }
      seen.add(id);
      // On its host, or on the one that was asked before.
      const next = parseRequestedPath(to.path, 'host' in to ? to.host : (asked.hosts[0] ?? null));
      const found = await end(next, await source.rulesAt(next));
      if (found) return { ...found, rule: throughTo(rule, found.rule) };
    }
    return undefined;
  }

  const rules = await source.rulesAt(first);
  const found = await end(first, rules);
  if (found || state.loops) return found ?? { rule: undefined, by: undefined };
  return { rule: rules[0], by: undefined };
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

/** The Location of an answer, with the query string of the request if that is passed on; undefined: it is too long. */
export function locationOf(href: string, asked: string, passQuery: boolean): string | undefined {
  const query = passQuery ? (/\?([^#]*)/.exec(asked)?.[1] ?? '') : '';
  const [bare = '', section] = href.split(/#(.*)/s, 2);
  const location =
    query === ''
      ? href
      : encodeTarget(`${bare}${bare.includes('?') ? '&' : '?'}${query}${section === undefined ? '' : `#${section}`}`);
  return location.length > MAX_LOCATION ? undefined : location;
}

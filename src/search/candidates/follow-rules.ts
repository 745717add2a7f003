import type { Tenant } from '../../platform/database/session/tenants.js';
import { encodeTarget } from '../../rule-formats/read/source-address.js';
import { readTarget } from '../../rule-formats/read-redirect.js';
import { rulesOf, type MatchedRule } from '../../rules/match-rule.js';
import { readHosts } from '../../rules/store/page-urls.js';
import { findRulesOfPath, type PathRule } from '../../rules/store/rules-of-path.js';
import { moveKeys, type MoveKeys, pathKey, plainPath } from '../../text/paths/plain-path.js';
import { type SearchedProject, findKnownMoves } from '../store/known-moves.js';
import { weighKnownMoves } from '../ranking/moves/weigh-moves.js';

/** A path on the way, and the rules that it falls under. */
interface Stop {
  path: string;
  keys: MoveKeys;
  rules: readonly PathRule[];
}

interface Followed {
  /** Of the path that was asked; undefined: none, or a loop. */
  rule: MatchedRule | undefined;
  /** The keys of the path whose rule leads to the page, where that is another one. */
  keys: MoveKeys | undefined;
}

/** Rules that one answer follows. */
const MAX_HOPS = 10;

/**
 * The rule that decides about a dead path, followed to its end: a page, what is gone, or an address on another host.
 * One that ends nowhere leaves the answer to the next rule of the path; if none answers, a redirect of the path itself
 * still stands, and no guess in its place. A loop counts as no rule. Asks the database for each hop after the first.
 */
export async function followRules(of: Tenant & SearchedProject, first: Stop): Promise<Followed> {
  const seen = new Set([pathKey(first.path).toString('hex')]);
  let hosts: ReadonlySet<string> | undefined;
  const state = { loops: false };

  async function end(stop: Stop): Promise<(Followed & { rule: MatchedRule }) | undefined> {
    for (const { target, ...rule } of rulesOf(stop.path, stop.rules, stop.keys)) {
      if (target === undefined) return { rule, keys: stop === first ? undefined : stop.keys };
      const to = readTarget(target);
      if (!to) continue;
      if ('host' in to) {
        hosts ??= await readHosts(of.db, of.projectId);
        if (!hosts.has(to.host)) return { rule: { ...rule, leadsTo: encodeTarget(to.written) }, keys: undefined };
      }
      const id = pathKey(to.path).toString('hex');
      if (seen.has(id) || seen.size > MAX_HOPS) {
        state.loops = true;
        continue;
      }
      seen.add(id);
      const keys = moveKeys(plainPath(to.path));
      const found = await end({ path: to.path, keys, rules: await findRulesOfPath(of, keys) });
      if (found) return { ...found, rule: { ...found.rule, key: rule.key, oldPrefix: rule.oldPrefix } };
    }
    return undefined;
  }

  const found = await end(first);
  if (found || state.loops) return found ?? { rule: undefined, keys: undefined };
  const own = rulesOf(first.path, first.rules, first.keys).find(({ oldPrefix }) => oldPrefix === undefined);
  if (!own) return { rule: undefined, keys: undefined };
  const { action, key, pageId, oldPrefix } = own;
  return { rule: { action, key, pageId, oldPrefix }, keys: undefined };
}

/** The rule of a path, and the evidence of {@link weighKnownMoves}, without a search; empty when no move is known. */
export async function lookUpMoves(
  of: Tenant & SearchedProject,
  path: string,
): Promise<{ rule: MatchedRule | undefined; moved: Map<string, number> }> {
  const plain = plainPath(path);
  const keys = moveKeys(plain);
  const { moves, rules } = await findKnownMoves(of, keys);
  const { rule } = await followRules(of, { path, keys, rules });
  return { rule, moved: weighKnownMoves(plain, moves, keys, rule) };
}

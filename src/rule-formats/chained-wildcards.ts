import { mapYielding } from '../base/map-yielding.js';
import { joinSegments, plainPath } from '../text/paths/plain-path.js';
import { follow, keyOf, keyOnHost, MAX_HOPS, openWildcards, pageAt, pathOf } from './lint-redirects.js';
import type { RuleLookup, Checked, LintNote } from './lint-redirects.js';
import { encodeTarget, formatSource } from './read/source-address.js';
import { restBelow, wildcardPrefix } from './read-redirect.js';
import { ANY, exampleOf, openPatterns } from './write/wildcards.js';
import { sourceOf } from './write/write-rules.js';
import {
  hasNumbers,
  isDated,
  isPlain,
  isRedirect,
  termsOf,
  type AnyRule,
  type ExportGone,
  type ExportRule,
} from './write/written-rule.js';

type End = Pick<ExportRule, 'to' | 'rest' | 'isAway'> | 'gone' | 'loop';

/** A wildcard, and where it leads in the end, after the other rules on the way. */
interface Chain {
  rule: ExportRule;
  end: End;
  /**
   * The plain prefixes on the way, with the rest of the path behind them. `isPlain`: a wildcard without numbers decides
   * there.
   */
  over: { prefix: string; isPlain: boolean }[];
  /** Another rule, because of which some paths of the wildcard lead elsewhere. */
  apart?: string;
}

/**
 * Makes one redirect of each wildcard that leads to redirected paths, if one rule can replace the chain for all paths
 * below it. Notes name the other wildcards. Wildcards and patterns that lead round in a circle are left out.
 * @param rulesByKey the wildcards and patterns by their key; the function changes them
 * @param beside the rules of single paths that a server gets
 */
export async function collapseWildcards(
  rulesByKey: Map<string, AnyRule>,
  lookup: RuleLookup,
  beside: readonly (Checked | ExportGone)[],
): Promise<LintNote[]> {
  const all = [...rulesByKey.values()];
  const rules = all.filter(isPlain);
  const find = openWildcards(rules);
  const chains = await mapYielding(rules.filter(isRedirect), (rule) => followWildcard(rule, find, lookup));
  await findApart(chains, rules, lookup, beside);
  const circles = leaveOutCircles(rulesByKey, { ...lookup, findWildcard: find, findPattern: openPatterns(all) });
  const collapsed = chains.flatMap(({ rule, end, apart }): LintNote[] => {
    const path = `${rule.path}*`;
    const chain = (detail: string): LintNote => ({ kind: 'chain', path, detail, isLeftOut: false });
    if (end === 'loop') {
      rulesByKey.delete(rule.path);
      return [{ kind: 'loop', path, detail: `leads round in a circle over ${rule.to}`, isLeftOut: true }];
    }
    if (apart !== undefined)
      return [chain(`leads to paths below ${rule.to} that are redirected on (${apart}): more than one rule can say`)];
    if (end === 'gone') {
      rulesByKey.set(rule.path, { path: rule.path, query: '', rest: 'dropped' });
      return [chain(`leads to ${rule.to}, which is gone for good`)];
    }
    if (end.to === rule.to) return [];
    rulesByKey.set(rule.path, { ...termsOf(rule), path: rule.path, query: '', ...end });
    return [chain(`over ${rule.to} to ${end.to}: made one redirect`)];
  });
  return [...circles, ...collapsed];
}

/**
 * Leaves out patterns whose targets lead back to them: browsers would go round in a circle. When pathmend answers
 * itself, such a pattern counts as no rule.
 */
function leaveOutCircles(rules: Map<string, AnyRule>, lookup: RuleLookup): LintNote[] {
  return [...rules].flatMap(([key, rule]): LintNote[] => {
    if (!rule.pattern || !('to' in rule) || rule.isAway) return [];
    const { path, url } = exampleOf(rule.pattern, rule.to);
    const id = keyOnHost(formatSource({ ...rule, path }), rule.host);
    if (follow({ url, active: false }, lookup, id).note?.kind !== 'loop') return [];
    rules.delete(key);
    return [{ kind: 'loop', path: sourceOf(rule), detail: `leads round in a circle over ${rule.to}`, isLeftOut: true }];
  });
}

function followWildcard(rule: ExportRule, find: ReturnType<typeof openWildcards>, lookup: RuleLookup): Chain {
  const over: Chain['over'] = [];
  const seen = new Set([wildcardPrefix(rule.path)]);
  let end: Exclude<End, string> = rule;
  while (end.rest === 'kept') {
    // No rule applies on another site. Behind a `?` or `#`, the rest is not part of a path.
    if (end.isAway || /[?#]/.test(end.to)) return { rule, end, over };
    const prefix = joinSegments(plainPath(pathOf(end.to) + ANY).segments.slice(0, -1));
    if (seen.has(prefix) || seen.size > MAX_HOPS) return { rule, end: 'loop', over };
    seen.add(prefix);
    const next = find(pathOf(end.to) + ANY);
    over.push({ prefix, isPlain: next !== undefined && !hasNumbers(next.rule.path) });
    if (!next) return { rule, end, over };
    if (!('to' in next.rule)) return { rule, end: 'gone', over };
    const { to, rest, isAway } = next.rule;
    const kept = rest === 'kept' ? restBelow(pathOf(end.to), next.prefix) : '';
    end = { to: to + kept, rest: rest ?? 'dropped', ...(isAway ? { isAway } : {}) };
  }
  if (end.isAway || pageAt(end.to, lookup) !== undefined) return { rule, end, over };
  const { url, active, isGone, note } = follow({ url: end.to, active: false }, lookup);
  if (note?.kind === 'loop') return { rule, end: 'loop', over };
  return { rule, end: isGone ? 'gone' : active ? { to: encodeTarget(url), rest: 'dropped' } : end, over };
}

/** Looks for rules by which some paths of a chain go elsewhere than the others. */
async function findApart(
  chains: readonly Chain[],
  rules: readonly AnyRule[],
  lookup: RuleLookup,
  beside: readonly (Checked | ExportGone)[],
): Promise<void> {
  const passing = new Map<string, Chain[]>();
  const prefixes = rules.map(({ path }) => ({ path, prefix: wildcardPrefix(path) }));
  await mapYielding(chains, (chain) => {
    const ownPrefix = wildcardPrefix(chain.rule.path);
    for (const { prefix, isPlain } of chain.over) {
      passing.set(prefix, [...(passing.get(prefix) ?? []), chain]);
      const below = prefixes.find(
        ({ prefix: other }) => other !== ownPrefix && !(isPlain && other.includes('#')) && isBelow(other, prefix),
      );
      if (below) chain.apart ??= `${below.path}*`;
    }
  });
  if (passing.size === 0) return;
  await mapYielding(beside, (rule) => {
    if (rule.query !== '' || rule.host !== undefined || isDated(rule)) return;
    const { segments } = plainPath(rule.path);
    for (let length = 0; length <= segments.length; length++) {
      const prefix = joinSegments(segments.slice(0, length));
      for (const chain of passing.get(prefix) ?? []) {
        const rest = restBelow(rule.path, prefix);
        const old = keyOf(chain.rule.path + rest);
        if (!lookup.byKey.has(old) && !lookup.gone.has(old) && !endsAlike(rule, chain.end, rest))
          chain.apart ??= formatSource(rule);
      }
    }
  });
}

/** Tells whether the prefix of a wildcard begins with the prefix of another, where `#` is any number. */
function isBelow(prefix: string, other: string): boolean {
  const [segments, start] = [prefix, other].map((text) => text.split('/'));
  if (!segments || !start || segments.length <= start.length) return false;
  return start.every((segment, at) => segments[at] === segment || (segments[at] === '#' && /^\d+$/.test(segment)));
}

function endsAlike(rule: ExportGone & Partial<Checked>, end: End, rest: string): boolean {
  if (end === 'loop') return true;
  const isGone = rule.to === undefined || rule.isGone === true;
  if (isGone || end === 'gone') return isGone && end === 'gone';
  return keyOf(pathOf(rule.to ?? '')) === keyOf(pathOf(end.rest === 'kept' ? end.to + rest : end.to));
}

import type { PathRule } from './store/rules-of-path.js';
import { restBelow } from '../rule-formats/read-redirect.js';
import type { MoveKeys } from '../text/paths/plain-path.js';
import type { RuleAction } from '../base/glossary.js';

/** The rule that decides about a dead path. */
export interface MatchedRule {
  action: 'redirect' | 'gone';
  /** As rule_hits.rule_key. */
  key: Buffer;
  /** The indexed page that it leads to, over other rules perhaps; undefined where the path is gone. */
  pageId: string | undefined;
  /** The old prefix of a wildcard; undefined: a rule of the path itself. */
  oldPrefix: string | undefined;
  /** The address on another host that it leads to. Without it and without a page, a redirect waits for its page. */
  leadsTo?: string;
}

/** A rule of a path as it is found: with its page, or with the address that its owner wrote. */
export interface FoundRule extends MatchedRule {
  target?: string;
}

/**
 * The rules of a path in the order in which they are obeyed: its own, with its query string or else without; then those
 * of all below a path, the longest prefix first, those with numbers last. While a redirect of the path itself waits,
 * the path is not gone with all others.
 */
export function inOrder<One extends { key: string; prefix: string | null; action: RuleAction }>(
  rules: readonly One[],
  { keys }: Pick<MoveKeys, 'keys'>,
): One[] {
  const own = keys.flatMap(
    (key) => rules.find((rule) => rule.prefix === null && rule.key === key.toString('hex')) ?? [],
  );
  const isRedirected = own.some(({ action }) => action === 'redirect');
  const below = rules.filter(({ prefix, action }) => prefix !== null && (action !== 'gone' || !isRedirected));
  return [...own, ...below.sort(longerFirst)];
}

/** The rules that a search obeys: none whose page is not indexed yet. */
export function rulesOf(path: string, rules: readonly PathRule[], keys: Pick<MoveKeys, 'keys'>): readonly FoundRule[] {
  return inOrder(rules, keys)
    .filter((rule) => !rule.is_pending)
    .map((rule) => toFound(path, rule));
}

function toFound(path: string, { key, prefix, action, target, page_id }: PathRule): FoundRule {
  const rule = { action, key: Buffer.from(key, 'hex'), pageId: page_id ?? undefined, oldPrefix: prefix ?? undefined };
  if (target === null || page_id !== null) return rule;
  return { ...rule, target: prefix === null ? target : target.replace(/:splat$/, () => restBelow(path, prefix)) };
}

function longerFirst({ prefix: a }: { prefix: string | null }, { prefix: b }: { prefix: string | null }): number {
  return Number(isPattern(a)) - Number(isPattern(b)) || (b?.length ?? 0) - (a?.length ?? 0);
}

/** Whether a segment may be any number. */
export function isPattern(prefix: string | null): boolean {
  return prefix?.includes('#') ?? false;
}

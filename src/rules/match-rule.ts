import type { KnownGone } from './store/gone-paths.js';
import { restBelow } from '../rule-formats/wildcard-prefix.js';
import type { MoveKeys } from '../text/paths/move-keys.js';
import type { KnownMove } from './learned/known-move.js';
import { wildcardKey } from './rule-keys.js';

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

/** What is known of a path. */
export interface KnownOfPath {
  moves: readonly KnownMove[];
  gone: KnownGone;
}

/**
 * The rules of a dead path in the order in which they are obeyed: its own, with its query string or else without; then
 * wildcards, the longest prefix first, and those with numbers last. None of a page that is not indexed yet.
 */
export function rulesOf(
  path: string,
  { moves, gone }: KnownOfPath,
  { keys }: Pick<MoveKeys, 'keys'>,
): readonly FoundRule[] {
  const own = keys.flatMap((key): FoundRule[] => {
    const text = key.toString('hex');
    const rule = { action: 'redirect', key, pageId: undefined, oldPrefix: undefined } as const;
    const page = moves.find((one) => one.kind === 'redirect' && one.key === text);
    if (page) return [{ ...rule, pageId: page.page_id }];
    if (gone.keys.includes(text)) return [{ ...rule, action: 'gone' }];
    const waiting = gone.waiting.find((one) => one.key === text);
    return waiting ? [{ ...rule, target: waiting.target }] : [];
  });
  const wildcards = [
    ...gone.prefixes.map((oldPrefix): FoundRule => ({ ...wildcard(oldPrefix), action: 'gone' })),
    ...gone.wildcards.map(({ prefix, target }): FoundRule => {
      const page = moves.find((one) => one.kind === 'wildcard' && one.key === prefix);
      if (page) return { ...wildcard(prefix), pageId: page.page_id };
      return { ...wildcard(prefix), target: target.replace(/:splat$/, () => restBelow(path, prefix)) };
    }),
  ].sort(moreExact);
  return [...own, ...wildcards];
}

function wildcard(oldPrefix: string): MatchedRule & { oldPrefix: string } {
  return { action: 'redirect', key: wildcardKey(oldPrefix), pageId: undefined, oldPrefix };
}

/** The order in which wildcards of one path are obeyed. */
export function moreExact(a: { oldPrefix: string | undefined }, b: { oldPrefix: string | undefined }): number {
  return Number(isPattern(a)) - Number(isPattern(b)) || (b.oldPrefix?.length ?? 0) - (a.oldPrefix?.length ?? 0);
}

export function isPattern({ oldPrefix = '' }: { oldPrefix: string | undefined }): boolean {
  return oldPrefix.includes('#');
}

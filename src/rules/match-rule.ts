import type { KnownGone } from './store/gone-paths.js';
import type { MoveKeys } from '../text/paths/move-keys.js';
import type { KnownMove } from './learned/known-move.js';
import { wildcardKey } from './rule-keys.js';

/** The rule that decides about a dead path. */
export interface MatchedRule {
  action: 'redirect' | 'gone';
  /** As rule_hits.rule_key. */
  key: Buffer;
  /** The indexed page that it leads to; undefined where the path is gone. */
  pageId: string | undefined;
  /** The old prefix of a wildcard; undefined: a rule of the path itself. */
  oldPrefix: string | undefined;
}

/**
 * The rule of a dead path: its own, with its query string or else without; else the wildcard with the longest prefix;
 * else the longest one with numbers. A redirect that leads to no indexed page is passed over.
 */
export function matchRule(
  known: readonly KnownMove[],
  gone: KnownGone,
  { keys }: Pick<MoveKeys, 'keys'>,
): MatchedRule | undefined {
  for (const key of keys) {
    const text = key.toString('hex');
    const redirect = known.find((one) => one.kind === 'redirect' && one.key === text);
    if (redirect) return { action: 'redirect', key, pageId: redirect.page_id, oldPrefix: undefined };
    if (gone.keys.includes(text)) return { action: 'gone', key, pageId: undefined, oldPrefix: undefined };
  }
  const [first] = [
    ...known.flatMap(({ kind, key, page_id }) => (kind === 'wildcard' ? [{ oldPrefix: key, pageId: page_id }] : [])),
    ...gone.prefixes.map((oldPrefix) => ({ oldPrefix, pageId: undefined })),
  ].sort(moreExact);
  if (!first) return undefined;
  const { oldPrefix, pageId } = first;
  return { action: pageId === undefined ? 'gone' : 'redirect', key: wildcardKey(oldPrefix), pageId, oldPrefix };
}

/** The order in which wildcards of one path are obeyed. */
export function moreExact(a: { oldPrefix: string }, b: { oldPrefix: string }): number {
  return Number(isPattern(a)) - Number(isPattern(b)) || b.oldPrefix.length - a.oldPrefix.length;
}

export function isPattern({ oldPrefix }: { oldPrefix: string }): boolean {
  return oldPrefix.includes('#');
}

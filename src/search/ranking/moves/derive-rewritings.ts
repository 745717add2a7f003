import { commonPrefix } from '../../../text/words/edit-distance.js';
import type { TokenPath } from '../../../text/paths/token-path.js';
import { moveConfidence } from '../../../rules/learned/weigh-section-moves.js';
import { rewriteByExample } from './rewrite-by-example.js';

/** A redirect's old path and its page's path, as words and numbers. */
export interface RewrittenPath {
  from: TokenPath;
  to: TokenPath;
}

/** A live path to which a dead one leads when it is rewritten as redirects are. */
export interface Rewriting<Example> {
  key: string;
  /** The redirect with the longest common start. */
  example: Example;
  /** The redirects that lead there. */
  support: number;
  /** Those that lead to another live page, and those that the example would lead to another one than they do. */
  contradictions: number;
  confidence: number;
}

/** With less, 4 of 57 were right; with more, 1,323 of 1,331 (21 sites, half of their redirects known). */
const MIN_CONFIDENCE = 0.6;
/** Those with most support, whose contradictions are counted. */
const MAX_REWRITINGS = 3;

/**
 * Rewrites a dead path as each redirect rewrote its own; best first. One example is enough, as with section moves: what
 * comes out is seldom a live path by accident. `live`: the keys of live paths, asked for only if they are needed.
 */
export function deriveRewritings<Example extends RewrittenPath>(
  dead: TokenPath,
  redirects: readonly Example[],
  live: () => ReadonlySet<string>,
): Rewriting<Example>[] {
  // `/a/b` and `/a/b.html` are one example.
  const examples = [...new Map(redirects.map((one) => [one.from.key, one])).values()];
  const byKey = new Map<string, Example[]>();
  for (const example of examples) {
    const key = rewriteByExample(example.from, example.to, dead);
    if (key !== undefined && key !== dead.key) byKey.set(key, [...(byKey.get(key) ?? []), example]);
  }
  if (byKey.size === 0) return [];
  const keys = live();
  const found = [...byKey].filter(([key]) => keys.has(key)).sort(([, a], [, b]) => b.length - a.length);
  const all = found.reduce((sum, [, { length }]) => sum + length, 0);
  return found
    .slice(0, MAX_REWRITINGS)
    .map(([key, alike]) => {
      const example = nearest(dead, alike);
      const support = alike.length;
      const contradictions = all - support + countMisled(example, dead, examples, new Set(alike), keys);
      return { key, example, support, contradictions, confidence: moveConfidence(support, contradictions) };
    })
    .filter(({ confidence }) => confidence >= MIN_CONFIDENCE);
}

function nearest<Example extends RewrittenPath>(dead: TokenPath, examples: readonly Example[]): Example {
  const shared = examples.map(({ from }) => commonPrefix(dead.texts, from.texts));
  return examples[shared.indexOf(Math.max(...shared))] as Example;
}

/** The redirects of the same section that went to another page than the live one to which the example leads them. */
function countMisled(
  { from, to }: RewrittenPath,
  dead: TokenPath,
  redirects: readonly RewrittenPath[],
  alike: ReadonlySet<RewrittenPath>,
  live: ReadonlySet<string>,
): number {
  const shared = commonPrefix(from.texts, dead.texts);
  return redirects.filter((other) => {
    if (alike.has(other) || commonPrefix(from.texts, other.from.texts) < shared) return false;
    const key = rewriteByExample(from, to, other.from);
    return key !== undefined && key !== other.to.key && live.has(key);
  }).length;
}

import { commonPrefix } from '../../../text/words/likeness.js';
import { type TokenPath, rewriteByExample, readTokenPath } from '../learned-redirects/rewrite-by-example.js';
import { sectionConfidence } from '../../../rules/learned/weigh-section-redirects.js';
import type { DeadPath } from '../../../text/paths/dead-path.js';
import { tokensOf, type LivePath } from './page-path.js';
import type { KnownRedirect } from './redirect-evidence.js';

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
  /** The number of redirects that lead there. */
  support: number;
  /** The redirects that lead to another live page, or that the example would lead to another one than their own. */
  contradictions: number;
  confidence: number;
}

/** With less confidence, 4 of 57 rewritings were right; with more, 1,323 of 1,331 (21 sites). */
const MIN_CONFIDENCE = 0.6;
/** Contradictions are counted for so many rewritings, those with most support. */
const MAX_REWRITINGS = 3;

/**
 * Rewrites a dead path as each redirect rewrote its own; best first. One example is enough, as with section redirects:
 * what comes out is seldom a live path by accident. `live` returns the keys of live paths, and is called only if they
 * are needed.
 */
export function deriveRewritings<Example extends RewrittenPath>(
  dead: TokenPath,
  redirects: readonly Example[],
  live: () => ReadonlySet<string>,
): Rewriting<Example>[] {
  // `/a/b` and `/a/b.html` are one example.
  const examples = [...new Map(redirects.map((redirect) => [redirect.from.key, redirect])).values()];
  const byKey = new Map<string, Example[]>();
  for (const example of examples) {
    const key = rewriteByExample(example.from, example.to, dead);
    if (key !== undefined && key !== dead.key) byKey.set(key, [...(byKey.get(key) ?? []), example]);
  }
  if (byKey.size === 0) return [];
  const keys = live();
  const living = [...byKey].filter(([key]) => keys.has(key)).sort(([, a], [, b]) => b.length - a.length);
  const all = living.reduce((sum, [, { length }]) => sum + length, 0);
  return living
    .slice(0, MAX_REWRITINGS)
    .map(([key, alike]) => {
      const example = nearest(dead, alike);
      const support = alike.length;
      const contradictions = all - support + countMisled(example, dead, examples, new Set(alike), keys);
      return { key, example, support, contradictions, confidence: sectionConfidence(support, contradictions) };
    })
    .filter(({ confidence }) => confidence >= MIN_CONFIDENCE);
}

function nearest<Example extends RewrittenPath>(dead: TokenPath, examples: readonly Example[]): Example {
  const shared = examples.map(({ from }) => commonPrefix(dead.texts, from.texts));
  return examples[shared.indexOf(Math.max(...shared))] as Example;
}

/** Counts the redirects of the section that the example leads to a live page which is not theirs. */
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

interface Redirected extends RewrittenPath {
  redirect: KnownRedirect;
}

/** A page to which redirects rewrite the dead path. */
export type RewrittenPage = Pick<Rewriting<Redirected>, 'support' | 'contradictions' | 'confidence'> & {
  example: KnownRedirect;
};

interface Page {
  pageId: string;
  /** The path with its query string. */
  path: string;
  live: LivePath;
}

/** Longer paths are left out: of 36,000 paths of 27 sites, none is longer. */
const MAX_PATH = 250;

/** Finds the candidates to which near redirects rewrite the dead path. Paths with query strings show nothing. */
export function findRewrittenPages(
  dead: DeadPath,
  redirects: readonly KnownRedirect[],
  candidates: readonly Page[],
): Map<string, RewrittenPage> {
  if (dead.segments.join('/').length > MAX_PATH) return new Map();
  const known = redirects
    .filter(({ oldPath, path }) => isCompared(oldPath) && isCompared(path))
    .map((redirect): Redirected => ({ redirect, from: tokensOf(redirect.old), to: tokensOf(redirect.page) }));
  const pages = new Map<string, string[]>();
  const rewritings = deriveRewritings(readTokenPath(dead.segments), known, () => {
    for (const { pageId, path, live } of candidates) {
      if (!isCompared(path)) continue;
      const { key } = tokensOf(live);
      pages.set(key, [...(pages.get(key) ?? []), pageId]);
    }
    return new Set([...pages.keys(), ...known.map(({ to }) => to.key)]);
  });
  return new Map(
    rewritings.flatMap(({ key, example, ...rewriting }) =>
      (pages.get(key) ?? []).map((pageId) => [pageId, { ...rewriting, example: example.redirect }]),
    ),
  );
}

/** Adds rewritten pages: a rewriting's confidence times the share that redirects to other pages leave open. */
export function addRewritten(moved: ReadonlyMap<string, number>, rewritten: ReadonlyMap<string, RewrittenPage>) {
  const all = new Map(moved);
  for (const [pageId, { confidence }] of rewritten) {
    const confidences = [...moved].map(([other, value]) => (other === pageId ? 0 : value));
    all.set(pageId, Math.max(moved.get(pageId) ?? 0, confidence * (1 - Math.max(0, ...confidences))));
  }
  return all;
}

function isCompared(path: string): boolean {
  return path.length <= MAX_PATH && !path.includes('?');
}

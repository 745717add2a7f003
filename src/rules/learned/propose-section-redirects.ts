import { isNumber, joinSegments, maskNumbers, splitPath } from '../../text/paths/plain-path.js';

/** An old path and the path that it became, both plain. */
export interface RedirectedPath {
  from: readonly string[];
  to: readonly string[];
  /** The weight of this case: 1, or less if it is not certain. */
  weight: number;
  /** Whether it was learned from clicks, not from a redirect. */
  byClicks?: boolean;
}

/** A section redirect before its contradictions are counted. */
export interface SectionCandidate {
  oldPrefix: string;
  newPrefix: string;
  support: number;
  byClicks: boolean;
  /**
   * The wrong paths that it makes of moved paths which went elsewhere. If such a path is a live page's, it is a
   * contradiction.
   */
  misses: { path: string; weight: number }[];
  /** The total weight of all such paths; `misses` may be some of them. */
  missedWeight: number;
}

/**
 * One moved path is enough. Of the answers by section redirects with a support of one, 99 % were right, as with more. A
 * minimum of two reduced the answered share from .44 to .36 (nine sites, half of their redirects known;
 * scripts/eval/moved-sections.ts). The rewritten path must be a live page's, which seldom happens by accident.
 */
const MIN_SUPPORT = 1;
/** Clicks alone need twice as much: two paths, each clicked from two searches, or four paths clicked once. */
const MIN_CLICK_SUPPORT = 2;
/** Limits of time and memory; real sites need less. With 10 per prefix, a flat blog sorted into months lost half. */
const MAX_PER_PREFIX = 100;
const MAX_MOVES = 1_000;
const MAX_MISSES = 20;
/** Deeper or longer paths are ignored. */
const MAX_SEGMENTS = 16;
const MAX_PATH = 500;
/** The maximum number of bytes of a prefix in UTF-8: the limit of the database's key. */
export const MAX_PREFIX_BYTES = 1_000;

/**
 * Strips the common end of both paths, segment by segment: `/manual/a/x` that became `/docs/a/x` shows `/manual/a` →
 * `/docs/a` and `/manual` → `/docs`. Paths whose last segments differ show nothing. If the old prefix has numbers and
 * the new one has none (`/2016/05/x` became `/news/x`), the redirect is proposed for every number too.
 */
export function proposeSectionRedirects(moved: readonly RedirectedPath[]): SectionCandidate[] {
  const below = new Map<string, Section>();
  for (const { from, to, weight, byClicks = false } of moved) {
    const target = joinSegments(to);
    const source = joinSegments(from);
    if (target === source || from.length > MAX_SEGMENTS || source.length > MAX_PATH) continue;
    const newPrefixes = newPrefixesOf(from, to);
    for (const { prefix, tail } of splitPath(from)) {
      const section: Section = below.get(prefix) ?? { supports: new Map(), paths: [] };
      below.set(prefix, section);
      section.paths.push({ tail, to: target, weight, byClicks });
      const newPrefix = newPrefixes.get(prefix);
      if (newPrefix === undefined) continue;
      const support = section.supports.get(newPrefix) ?? { redirected: 0, clicked: 0 };
      section.supports.set(newPrefix, support);
      support[byClicks ? 'clicked' : 'redirected'] += weight;
    }
  }
  const proposed = [...below].flatMap(([oldPrefix, { supports, paths }]) =>
    [...supports]
      .map(([newPrefix, { redirected, clicked }]) => ({
        oldPrefix,
        newPrefix,
        support: redirected > 0 ? redirected : clicked,
        byClicks: redirected === 0,
        paths,
      }))
      .filter(
        ({ newPrefix, support, byClicks }) =>
          support >= (byClicks ? MIN_CLICK_SUPPORT : MIN_SUPPORT) && isStorable(oldPrefix) && isStorable(newPrefix),
      )
      .sort(redirectsFirst)
      .slice(0, MAX_PER_PREFIX),
  );
  return proposed
    .sort((a, b) => redirectsFirst(a, b) || a.oldPrefix.length - b.oldPrefix.length)
    .slice(0, MAX_MOVES)
    .map(({ paths, ...redirect }) => ({
      ...redirect,
      ...missesOf(
        redirect.newPrefix,
        paths.filter((path) => redirect.byClicks || !path.byClicks),
      ),
    }));
}

interface Section {
  /** The total weight of the moved paths that show each new prefix. */
  supports: Map<string, { redirected: number; clicked: number }>;
  paths: PathBelow[];
}

interface PathBelow {
  tail: string;
  to: string;
  weight: number;
  byClicks: boolean;
}

/** Sorts what redirects show before what clicks show, so that no number of clicks displaces it. */
function redirectsFirst(a: { byClicks: boolean; support: number }, b: { byClicks: boolean; support: number }): number {
  return Number(a.byClicks) - Number(b.byClicks) || b.support - a.support;
}

function newPrefixesOf(from: readonly string[], to: readonly string[]): Map<string, string> {
  const newPrefixes = new Map<string, string>();
  for (let tail = 1; tail <= Math.min(from.length, to.length) && from.at(-tail) === to.at(-tail); tail++) {
    const before = from.slice(0, -tail);
    const after = to.slice(0, -tail);
    newPrefixes.set(joinSegments(before), joinSegments(after));
    if (before.some(isNumber) && !after.some(isNumber)) newPrefixes.set(maskNumbers(before), joinSegments(after));
  }
  return newPrefixes;
}

function missesOf(newPrefix: string, paths: readonly PathBelow[]) {
  const misses: SectionCandidate['misses'] = [];
  let missedWeight = 0;
  for (const { tail, to, weight } of paths) {
    const path = newPrefix + tail;
    if (path === to) continue;
    missedWeight += weight;
    if (misses.length < MAX_MISSES) misses.push({ path, weight });
  }
  return { misses, missedWeight };
}

function isStorable(prefix: string): boolean {
  return Buffer.byteLength(prefix) <= MAX_PREFIX_BYTES;
}

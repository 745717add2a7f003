import { MAX_BY_CLICKS } from './clicked-page.js';
import { anyNumbers, isNumber, joinSegments, splitsOf } from '../text/paths/plain-path.js';

/** An old path and the path that it became, both plain. */
export interface MovedPath {
  from: readonly string[];
  to: readonly string[];
  /** 1, or less for one that is known less surely. */
  weight: number;
  /** Whether visitors' clicks show it, not a redirect. */
  byClicks?: boolean;
}

/** A section that moved: paths below `oldPrefix` are now below `newPrefix`, with the same rest. */
export interface SectionMove {
  oldPrefix: string;
  newPrefix: string;
  /** Distinct moved paths that show it, by weight. */
  support: number;
  /** Distinct moved paths that went elsewhere, by weight: below another new prefix, or though such a page lives. */
  contradictions: number;
  /**
   * How sure it is that a path below `oldPrefix` is now below `newPrefix`; those of one old prefix share it out. Three
   * decimals.
   */
  confidence: number;
  /** Shown by clicks alone. What a redirect shows, clicks neither add to nor contradict. */
  byClicks: boolean;
}

/** A section move before it is known what it would have got wrong. */
export interface ProposedMove {
  oldPrefix: string;
  newPrefix: string;
  support: number;
  byClicks: boolean;
  /** Where it would have sent moved paths that went elsewhere: wrong if such a page lives. */
  misses: { path: string; weight: number }[];
  /** All such paths by weight; `misses` may be some of them. */
  missedWeight: number;
}

/**
 * One moved path is enough: of the answers by section moves that a single one supported, 99 % were right, as with more,
 * and with two as the least the answered share fell from .44 to .36 (nine sites, half of their redirects known;
 * scripts/eval/moved-sections.ts). The rewritten path must be a live page's, and by accident it seldom is.
 */
const MIN_SUPPORT = 1;
/** Of clicks alone twice as much: two paths, each clicked from two searches, or four paths clicked once. */
const MIN_CLICKED = 2;
/** Bounds on time and memory, beyond what real sites need: with 10 per prefix a flat blog put into months lost half. */
const MAX_PER_PREFIX = 100;
const MAX_MOVES = 1_000;
const MAX_MISSES = 20;
/** Deeper or longer paths show nothing. */
const MAX_SEGMENTS = 16;
const MAX_PATH = 500;
/** As the database's key takes them; in UTF-8. */
const MAX_PREFIX_BYTES = 1_000;

/**
 * Confidence = (support + RIGHT) / (support + contradictions + RIGHT + WRONG): the mean of a beta distribution, as if
 * four right answers and a wrong one had been seen before. Cautious: measured over all support, 99 % were right; but
 * those were paths known to have moved, on sites kept in order. Where an old prefix moved to several places, each has
 * its share of that, by support: eleven places are not each nearly sure. Which of them a path went to its live page
 * tells (moved-paths.ts): to drop such prefixes took the answered share from .34 to .20 and made no answer better.
 */
const RIGHT = 4;
const WRONG = 1;

/** The section moves that moved paths show. `livePaths`: which of some plain paths are those of live pages. */
export function deriveSectionMoves(moved: readonly MovedPath[], livePaths: ReadonlySet<string>): SectionMove[] {
  return weighSectionMoves(proposeSectionMoves(moved), livePaths);
}

/**
 * Strips what the ends of both paths have in common, segment by segment: `/manual/a/x` that became `/docs/a/x` shows
 * `/manual/a` → `/docs/a` and `/manual` → `/docs`. Paths whose last segments differ show nothing. Where the old prefix
 * has numbers and the new one none (`/2016/05/x` became `/news/x`), the same is shown for every number, too.
 */
export function proposeSectionMoves(moved: readonly MovedPath[]): ProposedMove[] {
  const below = new Map<string, { supports: Map<string, Support>; paths: PathBelow[] }>();
  for (const { from, to, weight, byClicks = false } of moved) {
    const target = joinSegments(to);
    const source = joinSegments(from);
    if (target === source || from.length > MAX_SEGMENTS || source.length > MAX_PATH) continue;
    const shown = shownBy(from, to);
    for (const { prefix, tail } of splitsOf(from)) {
      const section = below.get(prefix) ?? { supports: new Map<string, Support>(), paths: [] };
      below.set(prefix, section);
      section.paths.push({ tail, to: target, weight, byClicks });
      const newPrefix = shown.get(prefix);
      if (newPrefix !== undefined)
        section.supports.set(newPrefix, add(section.supports.get(newPrefix), weight, byClicks));
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
          support >= (byClicks ? MIN_CLICKED : MIN_SUPPORT) && fits(oldPrefix) && fits(newPrefix),
      )
      .sort(redirectsFirst)
      .slice(0, MAX_PER_PREFIX),
  );
  return proposed
    .sort((a, b) => redirectsFirst(a, b) || a.oldPrefix.length - b.oldPrefix.length)
    .slice(0, MAX_MOVES)
    .map(({ paths, ...move }) => ({
      ...move,
      ...missesOf(
        move.newPrefix,
        paths.filter((one) => move.byClicks || !one.byClicks),
      ),
    }));
}

/** What shows one section move, by weight: redirects, and clicks. */
interface Support {
  redirected: number;
  clicked: number;
}

interface PathBelow {
  tail: string;
  to: string;
  weight: number;
  byClicks: boolean;
}

function add(
  { redirected, clicked }: Support = { redirected: 0, clicked: 0 },
  weight: number,
  byClicks: boolean,
): Support {
  return byClicks ? { redirected, clicked: clicked + weight } : { redirected: redirected + weight, clicked };
}

/** However many paths somebody clicks, what redirects show is not crowded out. */
function redirectsFirst(a: { byClicks: boolean; support: number }, b: { byClicks: boolean; support: number }): number {
  return Number(a.byClicks) - Number(b.byClicks) || b.support - a.support;
}

/** The new prefix of each old prefix that a moved path shows. */
function shownBy(from: readonly string[], to: readonly string[]): Map<string, string> {
  const shown = new Map<string, string>();
  for (let tail = 1; tail <= Math.min(from.length, to.length) && from.at(-tail) === to.at(-tail); tail++) {
    const before = from.slice(0, -tail);
    const after = to.slice(0, -tail);
    shown.set(joinSegments(before), joinSegments(after));
    if (before.some(isNumber) && !after.some(isNumber)) shown.set(anyNumbers(before), joinSegments(after));
  }
  return shown;
}

function missesOf(
  newPrefix: string,
  paths: readonly { tail: string; to: string; weight: number }[],
): Pick<ProposedMove, 'misses' | 'missedWeight'> {
  const misses: ProposedMove['misses'] = [];
  let missedWeight = 0;
  for (const { tail, to, weight } of paths) {
    const path = newPrefix + tail;
    if (path === to) continue;
    missedWeight += weight;
    if (misses.length < MAX_MISSES) misses.push({ path, weight });
  }
  return { misses, missedWeight };
}

function fits(prefix: string): boolean {
  return Buffer.byteLength(prefix) <= MAX_PREFIX_BYTES;
}

/**
 * Judges proposed moves by the live pages that they would have answered wrongly with; drops those that others imply.
 */
export function weighSectionMoves(proposed: readonly ProposedMove[], livePaths: ReadonlySet<string>): SectionMove[] {
  const weighed = proposed.map(({ oldPrefix, newPrefix, support, byClicks, misses, missedWeight }): SectionMove => {
    const wrong = misses.reduce((sum, { path, weight }) => sum + (livePaths.has(path) ? weight : 0), 0);
    const looked = misses.reduce((sum, { weight }) => sum + weight, 0);
    const contradictions = looked === 0 ? 0 : Math.round((10 * wrong * missedWeight) / looked) / 10;
    const confidence = Math.round((100 * (support + RIGHT)) / (support + contradictions + RIGHT + WRONG)) / 100;
    return {
      oldPrefix,
      newPrefix,
      support,
      contradictions,
      byClicks,
      confidence: Math.min(byClicks ? MAX_BY_CLICKS : 0.99, Math.max(0.01, confidence)),
    };
  });
  return shared(withoutImplied(weighed));
}

/** Shares the confidence of an old prefix out among its new ones. */
function shared(moves: readonly SectionMove[]): SectionMove[] {
  const supports = new Map<string, number>();
  const groupOf = ({ oldPrefix, byClicks }: SectionMove): string => `${oldPrefix} ${String(byClicks)}`;
  for (const move of moves) supports.set(groupOf(move), (supports.get(groupOf(move)) ?? 0) + move.support);
  return moves.map((move) => {
    const all = supports.get(groupOf(move)) ?? move.support;
    const confidence = Math.max(0.001, Math.round((1_000 * move.confidence * move.support) / all) / 1_000);
    return { ...move, contradictions: Math.max(move.contradictions, all - move.support), confidence };
  });
}

/** `/a/b` → `/c/b` says nothing beside an `/a` → `/c` that is as sure, unless `/a/b` went elsewhere, too. */
function withoutImplied(moves: readonly SectionMove[]): SectionMove[] {
  const known = new Map(moves.map((move) => [`${move.oldPrefix} ${move.newPrefix}`, move]));
  const choices = new Map<string, number>();
  for (const { oldPrefix } of moves) choices.set(oldPrefix, (choices.get(oldPrefix) ?? 0) + 1);
  return moves.filter(({ oldPrefix, newPrefix, confidence, byClicks }) => {
    if (choices.get(oldPrefix) !== 1) return true;
    const from = oldPrefix.split('/').slice(1);
    const to = newPrefix.split('/').slice(1);
    const implying: string[] = [];
    if (from.length > 0 && from.at(-1) === to.at(-1))
      implying.push(`${joinSegments(from.slice(0, -1))} ${joinSegments(to.slice(0, -1))}`);
    if (from.some(isNumber)) implying.push(`${anyNumbers(from)} ${newPrefix}`);
    return !implying.some((key) => {
      const other = known.get(key);
      return other !== undefined && other.confidence >= confidence && (byClicks || !other.byClicks);
    });
  });
}

import { MAX_BY_CLICKS } from './clicked-page.js';
import { maskNumbers, isNumber, joinSegments, splitPath } from '../../text/paths/plain-path.js';

/** An old path and the path that it became, both plain. */
export interface MovedPath {
  from: readonly string[];
  to: readonly string[];
  /** 1; less if it is not certain. */
  weight: number;
  /** Learned from clicks, not from a redirect. */
  byClicks?: boolean;
}

/** Paths below `oldPrefix` are now below `newPrefix`, with the same rest. */
export interface SectionMove {
  oldPrefix: string;
  newPrefix: string;
  /** The total weight of the moved paths that show it. */
  support: number;
  /** The total weight of moved paths that went elsewhere: below another new prefix, or although such a page is live. */
  contradictions: number;
  /**
   * The probability that a path below `oldPrefix` is now below `newPrefix`, with three decimals. The moves of one old
   * prefix share it.
   */
  confidence: number;
  /** Shown by clicks alone. If a redirect shows it, clicks do not change its support or contradictions. */
  byClicks: boolean;
}

/** A section move before its contradictions are counted. */
export interface ProposedMove {
  oldPrefix: string;
  newPrefix: string;
  support: number;
  byClicks: boolean;
  /** Its results for moved paths that went elsewhere. A contradiction, if such a page is live. */
  misses: { path: string; weight: number }[];
  /** The total weight of all such paths; `misses` may be some of them. */
  missedWeight: number;
}

/**
 * One moved path is enough. Of the answers by section moves with a support of one, 99 % were right, as with more. A
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
/** In UTF-8: the limit of the database's key. */
const MAX_PREFIX_BYTES = 1_000;

/**
 * Confidence = (support + PRIOR_RIGHT) / (support + contradictions + PRIOR_RIGHT + PRIOR_WRONG): the mean of a beta
 * distribution, as if four right answers and a wrong one had been seen before. Cautious: 99 % were measured right, but
 * of paths known to have moved, on well-kept sites. When an old prefix moved to several places, they share the
 * confidence by their support, and the live page decides between them (apply-section-moves.ts). Without such prefixes
 * the answered share fell from .34 to .20, and no answer was better.
 */
const PRIOR_RIGHT = 4;
const PRIOR_WRONG = 1;

/** @param livePaths plain paths of live pages. */
export function deriveSectionMoves(moved: readonly MovedPath[], livePaths: ReadonlySet<string>): SectionMove[] {
  return weighSectionMoves(proposeSectionMoves(moved), livePaths);
}

/**
 * Strips the common end of both paths, segment by segment: `/manual/a/x` that became `/docs/a/x` shows `/manual/a` →
 * `/docs/a` and `/manual` → `/docs`. Paths whose last segments differ show nothing. If the old prefix has numbers and
 * the new one has none (`/2016/05/x` became `/news/x`), the move is proposed for every number too.
 */
export function proposeSectionMoves(moved: readonly MovedPath[]): ProposedMove[] {
  const below = new Map<string, { supports: Map<string, Support>; paths: PathBelow[] }>();
  for (const { from, to, weight, byClicks = false } of moved) {
    const target = joinSegments(to);
    const source = joinSegments(from);
    if (target === source || from.length > MAX_SEGMENTS || source.length > MAX_PATH) continue;
    const newPrefixes = newPrefixesOf(from, to);
    for (const { prefix, tail } of splitPath(from)) {
      const section = below.get(prefix) ?? { supports: new Map<string, Support>(), paths: [] };
      below.set(prefix, section);
      section.paths.push({ tail, to: target, weight, byClicks });
      const newPrefix = newPrefixes.get(prefix);
      if (newPrefix !== undefined)
        section.supports.set(newPrefix, addSupport(section.supports.get(newPrefix), weight, byClicks));
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
    .map(({ paths, ...move }) => ({
      ...move,
      ...missesOf(
        move.newPrefix,
        paths.filter((one) => move.byClicks || !one.byClicks),
      ),
    }));
}

/** The total weight of the moved paths that show one section move. */
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

function addSupport(
  { redirected, clicked }: Support = { redirected: 0, clicked: 0 },
  weight: number,
  byClicks: boolean,
): Support {
  return byClicks ? { redirected, clicked: clicked + weight } : { redirected: redirected + weight, clicked };
}

/** So that no number of clicks displaces what redirects show. */
function redirectsFirst(a: { byClicks: boolean; support: number }, b: { byClicks: boolean; support: number }): number {
  return Number(a.byClicks) - Number(b.byClicks) || b.support - a.support;
}

/** The new prefix for each old prefix of a moved path. */
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

function isStorable(prefix: string): boolean {
  return Buffer.byteLength(prefix) <= MAX_PREFIX_BYTES;
}

/** Counts the contradictions of proposed moves, sets their confidence, and drops those that others imply. */
export function weighSectionMoves(proposed: readonly ProposedMove[], livePaths: ReadonlySet<string>): SectionMove[] {
  const weighed = proposed.map(({ oldPrefix, newPrefix, support, byClicks, misses, missedWeight }): SectionMove => {
    const wrong = misses.reduce((sum, { path, weight }) => sum + (livePaths.has(path) ? weight : 0), 0);
    const checked = misses.reduce((sum, { weight }) => sum + weight, 0);
    const contradictions = checked === 0 ? 0 : Math.round((10 * wrong * missedWeight) / checked) / 10;
    const confidence = moveConfidence(support, contradictions);
    return {
      oldPrefix,
      newPrefix,
      support,
      contradictions,
      byClicks,
      confidence: Math.min(byClicks ? MAX_BY_CLICKS : 0.99, Math.max(0.01, confidence)),
    };
  });
  return shareConfidence(dropImplied(weighed));
}

/** The probability that what so many moved paths show holds for another one, with two decimals. */
export function moveConfidence(support: number, contradictions: number): number {
  return Math.round((100 * (support + PRIOR_RIGHT)) / (support + contradictions + PRIOR_RIGHT + PRIOR_WRONG)) / 100;
}

/** Divides the confidence of an old prefix among its new ones. */
function shareConfidence(moves: readonly SectionMove[]): SectionMove[] {
  const supports = new Map<string, number>();
  const groupOf = ({ oldPrefix, byClicks }: SectionMove): string => `${oldPrefix} ${String(byClicks)}`;
  for (const move of moves) supports.set(groupOf(move), (supports.get(groupOf(move)) ?? 0) + move.support);
  return moves.map((move) => {
    const all = supports.get(groupOf(move)) ?? move.support;
    const confidence = Math.max(0.001, Math.round((1_000 * move.confidence * move.support) / all) / 1_000);
    return { ...move, contradictions: Math.max(move.contradictions, all - move.support), confidence };
  });
}

/** An `/a` → `/c` of at least the same confidence implies `/a/b` → `/c/b`, unless `/a/b` went elsewhere too. */
function dropImplied(moves: readonly SectionMove[]): SectionMove[] {
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
    if (from.some(isNumber)) implying.push(`${maskNumbers(from)} ${newPrefix}`);
    return !implying.some((key) => {
      const other = known.get(key);
      return other !== undefined && other.confidence >= confidence && (byClicks || !other.byClicks);
    });
  });
}

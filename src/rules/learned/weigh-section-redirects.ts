import { isNumber, joinSegments, maskNumbers } from '../../text/paths/plain-path.js';
import { MAX_SCORE_FROM_CLICKS } from './clicked-page.js';
import type { SectionCandidate } from './propose-section-redirects.js';

/** Paths below `oldPrefix` are now below `newPrefix`, with the same rest. */
export interface SectionRedirect {
  oldPrefix: string;
  newPrefix: string;
  /** The total weight of the moved paths that show it. */
  support: number;
  /** The total weight of moved paths that went elsewhere: below another new prefix, or although such a page is live. */
  contradictions: number;
  /**
   * The probability that a path below `oldPrefix` is now below `newPrefix`, with three decimals. The learned redirects
   * of one old prefix share it.
   */
  confidence: number;
  /** Whether clicks alone show it. If a redirect shows it, clicks do not change its support or contradictions. */
  byClicks: boolean;
}

/** A learned redirect of a dead path itself, or a page that a section redirect leads to. */
export interface LearnedRedirect {
  page_id: string;
  kind: 'click' | 'content' | 'similar' | 'former' | 'section';
  /** The old path's key in hexadecimal; '' for a section redirect. */
  key: string;
  /** The number of clicks; 0 for all kinds but `click`. */
  clicks: number;
  /** The section redirect, with the plain path that it leads to as `path`; null for all other kinds. */
  section: (Omit<SectionRedirect, 'support' | 'contradictions'> & { whole: number; path: string }) | null;
}

/**
 * Confidence = (support + PRIOR_RIGHT) / (support + contradictions + PRIOR_RIGHT + PRIOR_WRONG): the mean of a beta
 * distribution, as if four right answers and a wrong one had been seen before. Cautious: 99 % were measured right, but
 * of paths known to have moved, on well-kept sites. When an old prefix moved to several places, they share the
 * confidence by their support, and the live page decides between them (weigh-redirects.ts). Without such prefixes
 * the answered share fell from .34 to .20, and no answer was better.
 */
const PRIOR_RIGHT = 4;
const PRIOR_WRONG = 1;

/**
 * Counts the contradictions of proposed redirects, sets their confidence, and drops those that others imply.
 * @param livePaths plain paths of live pages.
 */
export function weighSectionRedirects(proposed: readonly SectionCandidate[], livePaths: ReadonlySet<string>) {
  const weighed = proposed.map(({ oldPrefix, newPrefix, support, byClicks, misses, missedWeight }): SectionRedirect => {
    const wrong = misses.reduce((sum, { path, weight }) => sum + (livePaths.has(path) ? weight : 0), 0);
    const checked = misses.reduce((sum, { weight }) => sum + weight, 0);
    const contradictions = checked === 0 ? 0 : Math.round((10 * wrong * missedWeight) / checked) / 10;
    const maximum = byClicks ? MAX_SCORE_FROM_CLICKS : 0.99;
    const confidence = Math.min(maximum, Math.max(0.01, sectionConfidence(support, contradictions)));
    return { oldPrefix, newPrefix, support, contradictions, byClicks, confidence };
  });
  return shareConfidence(dropImplied(weighed));
}

/** The probability that a section redirect with this support holds for another path, with two decimals. */
export function sectionConfidence(support: number, contradictions: number): number {
  return Math.round((100 * (support + PRIOR_RIGHT)) / (support + contradictions + PRIOR_RIGHT + PRIOR_WRONG)) / 100;
}

/** Divides the confidence of an old prefix among its new ones. */
function shareConfidence(redirects: readonly SectionRedirect[]): SectionRedirect[] {
  const supports = new Map<string, number>();
  const groupOf = ({ oldPrefix, byClicks }: SectionRedirect): string => `${oldPrefix} ${String(byClicks)}`;
  for (const redirect of redirects)
    supports.set(groupOf(redirect), (supports.get(groupOf(redirect)) ?? 0) + redirect.support);
  return redirects.map((redirect) => {
    const all = supports.get(groupOf(redirect)) ?? redirect.support;
    const confidence = Math.max(0.001, Math.round((1_000 * redirect.confidence * redirect.support) / all) / 1_000);
    return { ...redirect, contradictions: Math.max(redirect.contradictions, all - redirect.support), confidence };
  });
}

/**
 * Drops the redirects that others imply: `/a` → `/c` of at least the same confidence implies `/a/b` → `/c/b`, unless
 * `/a/b` went elsewhere too.
 */
function dropImplied(redirects: readonly SectionRedirect[]): SectionRedirect[] {
  const known = new Map(redirects.map((redirect) => [`${redirect.oldPrefix} ${redirect.newPrefix}`, redirect]));
  const choices = new Map<string, number>();
  for (const { oldPrefix } of redirects) choices.set(oldPrefix, (choices.get(oldPrefix) ?? 0) + 1);
  return redirects.filter(({ oldPrefix, newPrefix, confidence, byClicks }) => {
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

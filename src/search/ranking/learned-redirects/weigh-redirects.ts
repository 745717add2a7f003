import { findClickedPage, MAX_SCORE_FROM_CLICKS } from '../../../rules/learned/clicked-page.js';
import { type RedirectKeys, type PlainPath, joinSegments, splitPath } from '../../../text/paths/plain-path.js';
import type { LearnedRedirect, SectionRedirect } from '../../../rules/learned/weigh-section-redirects.js';
import { NUMBER } from '../../../rule-formats/read/read-rule.js';
import type { Choices } from '../scores/explanation.js';

/** Below 1: a customer's redirect outweighs it. Above .95: as sure as an unconfirmed learned redirect. */
const SAME_CONTENT = 0.98;
const SIMILAR_CONTENT = 0.96;
const FORMER_CONTENT = 0.95;

/**
 * The evidence, 0 to 1, that a path's redirects give for indexed pages:
 * 1. the page of its rule (src/rules/match-rule.ts): 1, and no other page.
 * 2. the one page with the content of the deleted page that this path was: .98, or with nearly its content: .96, or
 *    with what it held before: .95, and no other page.
 * 3. a page that clicks confirm: .89.
 * 4. pages to which section redirects lead: their confidence.
 * For a path marked gone, only 2 counts. Only one redirect can be right, so a later one is multiplied by
 * the share that earlier ones leave open.
 */
export function weighLearnedRedirects(
  { segments }: PlainPath,
  known: readonly LearnedRedirect[],
  { keys: pathKeys }: RedirectKeys,
  rule: { pageId: string | undefined } | undefined,
): Map<string, number> {
  if (rule?.pageId !== undefined) return new Map([[rule.pageId, 1]]);
  const keys = pathKeys.map((key) => key.toString('hex'));
  const evidence = new Map<string, number>();
  const add = (pageId: string, value: number): void => {
    evidence.set(pageId, Math.max(evidence.get(pageId) ?? 0, value));
  };
  for (const [kind, value] of [
    ['content', SAME_CONTENT],
    ['similar', SIMILAR_CONTENT],
    ['former', FORMER_CONTENT],
  ] as const) {
    for (const key of keys) {
      const pages = new Set(known.filter((row) => row.kind === kind && row.key === key).map((row) => row.page_id));
      // Content shared by several pages is weak evidence: a stub, or a duplicate.
      if (pages.size === 1) return new Map([...pages].map((pageId) => [pageId, value]));
    }
  }
  if (rule) return evidence;
  let open = 1;
  for (const key of keys) {
    const clicks = new Map(
      known.filter((row) => row.kind === 'click' && row.key === key).map((row) => [row.page_id, row.clicks]),
    );
    const clicked = findClickedPage(clicks);
    if (clicked?.confirmed !== true || open < 1) continue;
    add(clicked.pageId, MAX_SCORE_FROM_CLICKS);
    open -= MAX_SCORE_FROM_CLICKS;
  }
  const sections = known.flatMap(({ page_id, section }) => (section ? [{ pageId: page_id, ...section }] : []));
  for (const { path: moved, confidence } of applySectionRedirects(segments, distinctRedirects(sections))) {
    for (const pageId of new Set(sections.filter((section) => section.path === moved).map((section) => section.pageId)))
      add(pageId, open * confidence);
  }
  return evidence;
}

/** Keeps only what rules and content show. */
export function withoutClicks(known: readonly LearnedRedirect[]): LearnedRedirect[] {
  return known.filter(({ kind, section }) => kind !== 'click' && section?.byClicks !== true);
}

/** Makes one of a section redirect that leads to two pages with the same plain path (`/a` and `/a/`). */
function distinctRedirects<Move extends { oldPrefix: string; newPrefix: string }>(redirects: readonly Move[]): Move[] {
  return [...new Map(redirects.map((redirect) => [`${redirect.oldPrefix} ${redirect.newPrefix}`, redirect])).values()];
}

const MAX_CONFIDENCE = 0.99;

/** A section redirect whose old prefix matches the path. */
interface MatchingSection extends Pick<SectionRedirect, 'oldPrefix' | 'newPrefix' | 'confidence'> {
  byClicks?: boolean;
  /** The confidence of all redirects of the same old prefix together; absent: the sum of the known ones. */
  whole?: number;
}

/**
 * Rewrites a dead path of these plain segments by section redirects; best first. Only one result can be right. So the
 * longest old prefix comes first, redirects before clicks, and the confidence of later results is multiplied by the
 * share that earlier ones leave open: 1 - their confidence. An old prefix may have moved to several places. Those at
 * which the path's page is live (`lives`) share the confidence of all.
 */
export function applySectionRedirects(
  segments: readonly string[],
  redirects: readonly MatchingSection[],
  lives: (path: string) => boolean = () => true,
): { path: string; confidence: number }[] {
  const path = joinSegments(segments);
  const confidences = new Map<string, number>();
  let open = 1;
  for (const { prefix, tail } of splitPath(segments)) {
    for (const byClicks of [false, true]) {
      const matching = redirects.filter(
        (redirect) => redirect.oldPrefix === prefix && (redirect.byClicks ?? false) === byClicks,
      );
      const living = matching.filter(({ newPrefix }) => newPrefix + tail !== path && lives(newPrefix + tail));
      const whole = Math.min(MAX_CONFIDENCE, matching[0]?.whole ?? sum(matching));
      const share = whole / sum(living);
      let highest = 0;
      for (const { newPrefix, confidence } of living) {
        const moved = newPrefix + tail;
        confidences.set(moved, Math.max(confidences.get(moved) ?? 0, confidence * share * open));
        highest = Math.max(highest, confidence * share);
      }
      open *= 1 - highest;
    }
  }
  return [...confidences]
    .map(([moved, confidence]) => ({ path: moved, confidence }))
    .sort((a, b) => b.confidence - a.confidence);
}

function sum(redirects: readonly MatchingSection[]): number {
  return redirects.reduce((all, { confidence }) => all + confidence, 0);
}

/** Counts the clicks that each page has of the path, or names the section whose visitors chose the page. */
export function countChoices(redirects: readonly LearnedRedirect[], { keys }: RedirectKeys) {
  const byKey = keys.map((key) => redirects.filter((row) => row.kind === 'click' && row.key === key.toString('hex')));
  const clicks = byKey.find(({ length }) => length > 0) ?? [];
  const of = clicks.reduce((sum, row) => sum + row.clicks, 0);
  const sections = redirects.flatMap(({ page_id, section }): [string, Choices][] =>
    section?.byClicks === true ? [[page_id, { below: `${section.oldPrefix.replaceAll('#', NUMBER)}/` }]] : [],
  );
  const byPage = new Map<string, Choices>([
    ...sections,
    ...clicks.map((row): [string, Choices] => [row.page_id, { clicks: row.clicks, of }]),
  ]);
  return (pageId: string): Choices | undefined => byPage.get(pageId);
}

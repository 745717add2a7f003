import { findClickedPage, MAX_BY_CLICKS } from '../../../rules/learned/clicked-page.js';
import type { KnownMove } from '../../../rules/learned/known-move.js';
import type { MoveKeys } from '../../../text/paths/move-keys.js';
import type { PlainPath } from '../../../text/paths/plain-path.js';
import { applySectionMoves } from './apply-section-moves.js';

/** Below 1: a customer's redirect outweighs it. Above .95, as certain as a move is that nobody has confirmed. */
const SAME_CONTENT = 0.98;
const SIMILAR_CONTENT = 0.96;
const FORMER_CONTENT = 0.95;

/**
 * The evidence, 0 to 1, that a path's moves give for indexed pages:
 * 1. the page of its rule (src/rules/match-rule.ts): 1, and no other page.
 * 2. the one page with the content of the deleted page that this path was: .98, or with nearly its content: .96, or
 *    with what it held before: .95, and no other page.
 * 3. a page that clicks confirm: .89.
 * 4. pages to which section moves lead: their confidence.
 * Of a path that its rule says is gone, only 2 counts. Only one move can be right, so a later one is multiplied by what
 * the earlier ones leave open.
 */
export function weighKnownMoves(
  { segments }: PlainPath,
  known: readonly KnownMove[],
  { keys: own }: MoveKeys,
  rule: { pageId: string | undefined } | undefined,
): Map<string, number> {
  if (rule?.pageId !== undefined) return new Map([[rule.pageId, 1]]);
  const keys = own.map((key) => key.toString('hex'));
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
      const pages = new Set(known.filter((one) => one.kind === kind && one.key === key).map((one) => one.page_id));
      // Content that several pages have says little: a stub, or a page that is kept twice.
      if (pages.size === 1) return new Map([...pages].map((pageId) => [pageId, value]));
    }
  }
  if (rule) return evidence;
  let open = 1;
  for (const key of keys) {
    const clicks = new Map(
      known.filter((one) => one.kind === 'click' && one.key === key).map((one) => [one.page_id, one.clicks]),
    );
    const clicked = findClickedPage(clicks);
    if (clicked?.confirmed !== true || open < 1) continue;
    add(clicked.pageId, MAX_BY_CLICKS);
    open -= MAX_BY_CLICKS;
  }
  const sections = known.flatMap(({ page_id, section }) => (section ? [{ pageId: page_id, ...section }] : []));
  for (const { path: moved, confidence } of applySectionMoves(segments, distinctMoves(sections))) {
    for (const pageId of new Set(sections.filter((one) => one.path === moved).map((one) => one.pageId)))
      add(pageId, open * confidence);
  }
  return evidence;
}

/** Only the moves that redirects and content show. */
export function withoutClicks(known: readonly KnownMove[]): KnownMove[] {
  return known.filter(({ kind, section }) => kind !== 'click' && section?.byClicks !== true);
}

/** Makes one of a section move that leads to two pages with the same plain path (`/a` and `/a/`). */
function distinctMoves<Move extends { oldPrefix: string; newPrefix: string }>(moves: readonly Move[]): Move[] {
  return [...new Map(moves.map((move) => [`${move.oldPrefix} ${move.newPrefix}`, move])).values()];
}

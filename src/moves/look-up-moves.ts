import type { Tenant } from '../database/session/tenants.js';
import { findKnownMoves, type KnownMove, type MoveKeys } from '../database/queries/moves.js';
import { findClickedPage, MAX_BY_CLICKS } from './clicked-page.js';
import { applySectionMoves } from './apply-section-moves.js';
import { hashPlainPath, joinSegments, splitsOf, type PlainPath } from '../text/paths/plain-path.js';

/** What the moves of a path are looked up by. */
export function moveKeys({ segments, query }: PlainPath): MoveKeys {
  const plain = joinSegments(segments);
  const splits = splitsOf(segments);
  return {
    keys: [...(query === '' ? [] : [`${plain}?${query}`]), plain].map(hashPlainPath),
    prefixes: splits.map((one) => one.prefix),
    tails: splits.map((one) => one.tail),
  };
}

/**
 * The pages for which a project's moves speak, see {@link weighKnownMoves}, without a search; empty when nothing is
 * known.
 */
export async function lookUpMoves(tenant: Tenant, path: PlainPath): Promise<Map<string, number>> {
  const keys = moveKeys(path);
  return weighKnownMoves(path, await findKnownMoves(tenant, keys), keys);
}

/**
 * The indexed pages for which a path's moves speak, with the evidence, 0 to 1: 1 where the customer redirects this path
 * (with its query string, or else without), .89 where visitors' clicks confirm a page for it, else the confidence of
 * the section moves that lead to a page. Of a path's moves only one can be right, so what comes later in this order
 * counts for as much as the earlier leaves open.
 */
export function weighKnownMoves(
  { segments }: PlainPath,
  known: readonly KnownMove[],
  { keys: own }: MoveKeys,
): Map<string, number> {
  const keys = own.map((key) => key.toString('hex'));
  const evidence = new Map<string, number>();
  const add = (pageId: string, value: number): void => {
    evidence.set(pageId, Math.max(evidence.get(pageId) ?? 0, value));
  };
  for (const key of keys) {
    const redirect = known.find((one) => one.kind === 'redirect' && one.key === key);
    if (redirect) return new Map([[redirect.page_id, 1]]);
  }
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

/** What the customer's own redirects say of a path, without what was learned from clicks. */
export function withoutClicks(known: readonly KnownMove[]): KnownMove[] {
  return known.filter(({ kind, section }) => kind === 'redirect' || section?.byClicks === false);
}

/** A section move that leads to two pages with one plain path (`/a` and `/a/`) is one move. */
function distinctMoves<Move extends { oldPrefix: string; newPrefix: string }>(moves: readonly Move[]): Move[] {
  return [...new Map(moves.map((move) => [`${move.oldPrefix} ${move.newPrefix}`, move])).values()];
}

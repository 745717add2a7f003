/** What visitors' clicks say of one old path. */
export interface ClickedPage {
  pageId: string;
  /** Clicked often enough to be taken for the page that this path became. */
  confirmed: boolean;
}

/**
 * One visitor clicks a wrong suggestion easily; two on the same one, for the same path, seldom. Clicks are of different
 * searches.
 */
const CONFIRMING_CLICKS = 2;

/**
 * What clicks alone may make of a score: below the .9 above which a visitor is redirected unasked. A click says nothing
 * of who made it, and whoever makes searches can click on what they name (SECURITY.md).
 */
export const MAX_BY_CLICKS = 0.89;

/** The page that got more than half of the clicks for a path, if one did. */
export function findClickedPage(clicks: ReadonlyMap<string, number>): ClickedPage | undefined {
  const total = [...clicks.values()].reduce((sum, count) => sum + count, 0);
  const [pageId] = [...clicks].find(([, count]) => isFavourite(count, total)) ?? [];
  return pageId === undefined ? undefined : { pageId, confirmed: isConfirmed(clicks.get(pageId) ?? 0, total) };
}

export function isFavourite(count: number, total: number): boolean {
  return 2 * count > total;
}

export function isConfirmed(count: number, total: number): boolean {
  return isFavourite(count, total) && count >= CONFIRMING_CLICKS;
}

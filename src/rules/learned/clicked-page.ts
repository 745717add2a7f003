/** The page that visitors click for one old path. */
export interface ClickedPage {
  pageId: string;
  /** Whether the page was clicked often enough to count as what the path became. */
  confirmed: boolean;
}

/**
 * The minimum number of clicks, from different searches, that confirm a page. One visitor may click a wrong suggestion;
 * two seldom click the same wrong one for one path.
 */
const MIN_CLICKS = 2;

/** The same for a question: it is evidence for others, too, so that a wrong page would cost more. */
export const MIN_QUESTION_CLICKS = 3;

/**
 * The maximum score by clicks alone. From .9 on, visitors are redirected without a click of their own. Clicks must not
 * cause that: anybody who searches can forge clicks (SECURITY.md).
 */
export const MAX_SCORE_FROM_CLICKS = 0.89;

/** The page that got more than half of the clicks for a path, if one did. */
export function findClickedPage(clicks: ReadonlyMap<string, number>): ClickedPage | undefined {
  const total = [...clicks.values()].reduce((sum, count) => sum + count, 0);
  const [pageId] = [...clicks].find(([, count]) => hasMajority(count, total)) ?? [];
  return pageId === undefined ? undefined : { pageId, confirmed: isConfirmed(clicks.get(pageId) ?? 0, total) };
}

export function hasMajority(count: number, total: number): boolean {
  return 2 * count > total;
}

export function isConfirmed(count: number, total: number, min = MIN_CLICKS): boolean {
  return hasMajority(count, total) && count >= min;
}

import type { SmallMetadata } from '../../pages/store/page-listing.js';
import type { MatchedRule } from '../../rules/match-rule.js';
import type { Explanation } from '../ranking/scores/explanation.js';

export interface Ranked {
  pageId: string;
  score: number;
  page: RankedPage;
  /** A function, because most requests need no explanation. */
  explain: () => Explanation;
}

/** What an answer shows of a page. */
export interface RankedPage extends SmallMetadata {
  url: string;
  path: string;
  title: string | null;
}

export interface RankedAnswer {
  /** The path's words or the query, as searched for. */
  understood: string;
  /** Best first. */
  ranked: Ranked[];
  /** Whether the model's vectors gave evidence for any page. */
  byVectors: boolean;
  /** The rule that decided, if one did. */
  rule?: MatchedRule | undefined;
}

/**
 * The maximum score for a page that contradicts the path's number, date, version, code or id: below the default
 * threshold. It is another thing, however alike the words are.
 */
export const MAX_CONTRADICTED_SCORE = 0.69;
export const CONTRADICTED = 'its number, date, version or code is another';

/** The maximum score for probes and in dead ends: below every threshold for a good answer. */
export const MAX_DOUBTED_SCORE = 0.5;

/** Sorts in place, best first. Ties have a fixed order, so that equal requests have equal answers. */
export function sortByScore<Page extends { pageId: string; score: number; value: number }>(pages: Page[]): Page[] {
  return pages.sort((a, b) => b.score - a.score || b.value - a.value || (a.pageId < b.pageId ? -1 : 1));
}

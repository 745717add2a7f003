import type { JsonObject } from '../../glossary.js';
import type { Explanation } from './explanation.js';

/** A page with its score, best first. */
export interface Ranked {
  pageId: string;
  score: number;
  /** What an answer shows of it, as far as the search has read it. */
  page: RankedPage;
  /** Why; made only when somebody asks. */
  explain: () => Explanation;
}

export interface RankedPage {
  url: string;
  path: string;
  title: string | null;
  /** Undefined: not read yet, because it is long. */
  metadata: () => JsonObject | null | undefined;
  /** Null unless asked for. */
  content: string | null;
}

export interface RankedAnswer {
  /** What was searched for, in words. */
  understood: string;
  ranked: Ranked[];
  /** Whether vectors spoke for any page: then those of the model were there. */
  byMeaning: boolean;
}

/** What a request for scanners' and robots' files may score at most: below every threshold that means "good". */
export const MAX_PROBE_SCORE = 0.5;

/** Best first; equal scores in a fixed order, so that the same question has the same answer. */
export function inOrder<Page extends { pageId: string; score: number; value: number }>(pages: Page[]): Page[] {
  return pages.sort((a, b) => b.score - a.score || b.value - a.value || (a.pageId < b.pageId ? -1 : 1));
}

import { mean, rankOf, type Suggested } from './measures.js';
import type { Case } from './site-data.js';

/** Measures of a list "did you mean" at a threshold: it shows the first `LINKS` answers that reach the threshold. */
export interface ListMeasures {
  threshold: number;
  /** Share of all cases whose right page is among the links shown. */
  right_shown: number;
  /** Share of all cases with at least one link. */
  shown: number;
  /** Links of a list that is shown, on average. */
  links: number;
}

/** The API's default for `limit`. */
const LINKS = 3;
/** The thresholds 0.05, 0.10, … 0.90. */
const THRESHOLDS = Array.from({ length: 18 }, (_, i) => (i + 1) / 20);
/** A list may lose one in a hundred of the right pages that it shows without a threshold. */
const KEPT = 0.99;

export function measureList(
  cases: readonly Case[],
  answers: readonly (readonly Suggested[])[],
  threshold: number,
): ListMeasures {
  const lists = cases.map((_, i) => (answers[i] ?? []).filter(({ score }) => score >= threshold).slice(0, LINKS));
  return {
    threshold,
    right_shown: mean(cases.map((testCase, i) => Number(rankOf(testCase.right, lists[i] ?? []) > 0))),
    shown: mean(lists.map((list) => Number(list.length > 0))),
    links: mean(lists.flatMap((list) => (list.length > 0 ? [list.length] : []))),
  };
}

/** The highest threshold, in steps of 0.05, that still shows 99% of the right pages that three links can show. */
export function adviseList(cases: readonly Case[], answers: readonly (readonly Suggested[])[]): ListMeasures {
  const all = measureList(cases, answers, 0);
  const kept = THRESHOLDS.map((threshold) => measureList(cases, answers, threshold)).filter(
    ({ right_shown }) => right_shown >= KEPT * all.right_shown,
  );
  return kept.at(-1) ?? all;
}

import type { LedBy } from '../../base/glossary.js';
import type { MatchedRule } from '../../rules/match-rule.js';
import { type Explanation, explain, explainAmong, partsOf } from '../ranking/scores/explanation.js';
import { describeDoubts, describeHeld, reasonOfGone } from '../ranking/scores/doubts.js';
import { isFiltered, type FoundPage, type SearchSpace } from '../store/space.js';
import { MAX_SCORE_FROM_CLICKS } from '../../rules/learned/clicked-page.js';
import { goneShift } from '../../rules/learned/gone-share.js';
import { NUMBER } from '../../rule-formats/read/read-rule.js';
import { type DeadPath, looksLikeProbe } from '../../text/paths/dead-path.js';
import type { CandidateDeps } from './site-words.js';
import { findPathCandidates } from './path-candidates.js';
import type { PathCandidateEvidence } from './weigh-candidates.js';
import type { CertaintyFacts } from '../ranking/evidence/certainty-facts.js';
import type { Calibration } from '../ranking/scores/calibration.js';
import {
  sortByScore,
  MAX_CONTRADICTED_SCORE,
  MAX_DOUBTED_SCORE,
  MAX_WAITING_SCORE,
  redirectsValue,
  rankBy,
  scoreByChoice,
} from '../ranking/scores/score.js';

export interface Ranked {
  pageId: string;
  score: number;
  page: FoundPage;
  /** Absent if the page is a mere guess. */
  by?: LedBy | undefined;
  /** A function, because most requests need no explanation. */
  explain: () => Explanation;
}

export interface RankedAnswer {
  understood: string;
  /** The pages, with the best one first. */
  ranked: Ranked[];
  byVectors: boolean;
  /** The rule that decided, if one did. */
  rule?: MatchedRule | undefined;
  isDated?: boolean;
  trialAbove?: number | undefined;
}

/** The reason why a score is limited, and its maximum. */
type Limit = readonly [reason: string, max: number];
const NO_LIMIT: Limit = ['', 1];

/** Ranks the pages that a dead path may mean. */
export async function rankForPath(
  deps: CandidateDeps,
  model: Calibration['suggest'],
  space: SearchSpace,
  path: DeadPath,
  limit: number,
  signal?: AbortSignal,
): Promise<RankedAnswer> {
  const pathCandidates = await findPathCandidates(deps, space, model.rank, path, limit, signal);
  const { understood, candidates, rule, isDated, trialAbove, goneShare } = pathCandidates;
  const { rank: weights, score: curve } = model;
  const rank = rankBy(weights);
  const sums = candidates.map(({ evidence }) => rank(evidence));
  const values = candidates.map(
    ({ evidence, byRedirects }, at) => (sums[at] ?? 0) + redirectsValue(evidence.moved, byRedirects),
  );
  const factsOf = (at: number): CertaintyFacts => {
    const { live, comparison } = candidates[at] as PathCandidateEvidence;
    return comparison.readFacts(live);
  };
  // A path to which learned redirects apply is not like most missing paths.
  const shift = candidates.some(({ evidence }) => evidence.moved > 0) ? 0 : goneShift(goneShare);
  const scores = scoreByChoice(curve, values, factsOf, shift);
  const clicked = candidates.some(({ evidence, byRedirects }) => evidence.moved > byRedirects);
  const scoresWithoutClicks = clicked
    ? scoreByChoice(
        curve,
        candidates.map(({ byRedirects }, at) => (sums[at] ?? 0) + redirectsValue(byRedirects, byRedirects)),
        factsOf,
      )
    : scores;
  // No guess stands in for the owner's choice.
  const leadsElsewhere = rule?.action === 'redirect' && rule.pageId === undefined;
  const limitOf = ({ isDeadEnd, row, live, comparison }: PathCandidateEvidence, isWrong: boolean): Limit => {
    if (leadsElsewhere) return ['a rule leads the path elsewhere', MAX_DOUBTED_SCORE];
    if (isDeadEnd) return ['the path, or its folder, is gone', MAX_DOUBTED_SCORE];
    if (path.isProbe && !looksLikeProbe(row.path)) return ['scanners ask for such paths', MAX_DOUBTED_SCORE];
    if (isWrong) return ['a person judged it wrong', MAX_DOUBTED_SCORE];
    if (row.stood_beside) return ['the path was a page, and this one stood beside it', MAX_DOUBTED_SCORE];
    const contradiction = comparison.readContradiction(live, row);
    if (contradiction !== undefined) return [contradiction, MAX_CONTRADICTED_SCORE];
    return row.is_waiting ? ['it waits for its vectors', MAX_WAITING_SCORE] : NO_LIMIT;
  };
  const best = sortByScore(
    candidates.map((candidate, at) => {
      const { pageId, evidence, byRedirects, row } = candidate;
      // A rule of the owner is no guess.
      const isWrong = row.judged_wrong && byRedirects < 1;
      // No limit is below MAX_DOUBTED_SCORE, so most candidates need none.
      const mayBeLimited = shift < 0 || Math.max(scores[at] ?? 0, scoresWithoutClicks[at] ?? 0) > MAX_DOUBTED_SCORE;
      const [reason, max] = mayBeLimited ? limitOf(candidate, isWrong) : NO_LIMIT;
      // Redirects are known, so the maximum does not apply to them.
      const moved = Math.max(Math.min(max, scores[at] ?? 0), isWrong ? 0 : evidence.moved);
      // Clicks raise a score to MAX_SCORE_FROM_CLICKS at most.
      const withoutClicks = Math.max(Math.min(max, scoresWithoutClicks[at] ?? 0), isWrong ? 0 : byRedirects);
      const score =
        evidence.moved > byRedirects ? Math.min(moved, Math.max(withoutClicks, MAX_SCORE_FROM_CLICKS)) : moved;
      const byClicks = evidence.moved > byRedirects && score > withoutClicks;
      const bounded = score === max && (scores[at] ?? 0) > max ? reason : undefined;
      return { at, pageId, value: values[at] ?? 0, score, max, byClicks, bounded, isExcluded: row.is_excluded };
    }),
  )
    // Excluded pages are left out only now, since they keep their share of the certainty.
    .filter(({ isExcluded }) => !isExcluded);
  const evidenceOf = explainAmong(() =>
    candidates.map(({ evidence, byRedirects }) =>
      partsOf(weights, evidence, redirectsValue(evidence.moved, byRedirects)),
    ),
  );
  // Filters and exclusions hide pages that may be near.
  const isWhole = best.length === candidates.length && !isFiltered(space);
  const ranked = best.slice(0, limit).map(({ at, pageId, score, max, byClicks, bounded }, place): Ranked => {
    const { rewritten, row, chosen, byRedirects, live, comparison } = candidates[at] as PathCandidateEvidence;
    const by = rule?.pageId === pageId ? 'rule' : byRedirects > 0 || byClicks ? 'learned' : undefined;
    const isGuess = rule === undefined && by === undefined;
    return {
      pageId,
      score,
      page: row,
      by,
      explain: () => {
        const usual = shift < 0 ? Math.min(max, scoreByChoice(curve, values, factsOf)[at] ?? 0) : score;
        const doubts = isGuess
          ? [...describeDoubts(curve.facts, factsOf(at), comparison.readMissing(live)), ...describeHeld(score, usual)]
          : [];
        const near =
          isGuess && isWhole && place === 0 ? best.map((page) => ({ ...page, facts: factsOf(page.at) })) : [];
        const gone = reasonOfGone(near, row.stood_beside);
        return {
          ...explain(evidenceOf(at), understood, rewritten),
          ...(chosen && byClicks ? { chosen } : {}),
          ...(bounded === undefined ? {} : { bounded }),
          ...(doubts.length === 0 ? {} : { doubts }),
          ...(gone === undefined ? {} : { gone }),
          ...(rule?.pageId === pageId ? { rule: describeRule(rule) } : {}),
        };
      },
    };
  });
  return {
    understood: understood.words.words.join(' '),
    ranked,
    byVectors: candidates.some(({ evidence }) => evidence.dense > 0),
    rule,
    isDated,
    trialAbove,
  };
}

function describeRule({ oldPrefix, isPattern }: MatchedRule): string {
  if (oldPrefix === undefined) return 'A redirect of this path.';
  return isPattern
    ? `A redirect of all paths like ${oldPrefix}.`
    : `A redirect of all paths below ${oldPrefix.replaceAll('#', NUMBER)}/.`;
}

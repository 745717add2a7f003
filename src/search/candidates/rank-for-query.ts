import { USUAL_COSINE, type FoundPage, type SearchSpace } from '../store/space.js';
import { redirectKeys } from '../../text/paths/plain-path.js';
import type { DeadPath } from '../../text/paths/dead-path.js';
import { type CandidateDeps, understandPath, chooseLookups, lookUpSiteWords } from './site-words.js';
import { embedPath } from './path-candidates.js';
import type { UnderstoodPath } from '../ranking/spelling/correct-spelling.js';
import type { QuestionEvidence, Ranking, QuestionCurve } from '../ranking/scores/calibration.js';
import { explain, explainAmong, partsOf } from '../ranking/scores/explanation.js';
import {
  sortByScore,
  MAX_CONTRADICTED_SCORE,
  MAX_DOUBTED_SCORE,
  MAX_WAITING_SCORE,
  rankBy,
  scoreQuestion,
} from '../ranking/scores/score.js';
import type { RankedAnswer } from './rank-for-path.js';
import { MAX_SCORE_FROM_CLICKS } from '../../rules/learned/clicked-page.js';
import { isContradictedBy } from '../../text/paths/identities.js';
import { findByContent, type ContentWeights, type FoundByContent } from '../store/by-content.js';
import { assumeCosines } from '../ranking/evidence/missing-vectors.js';
import { prepareQuestion } from '../ranking/evidence/heading-evidence.js';
import { QUESTION_BUDGET } from '../../text/words/term-lookups.js';
import { searchedTerms, searchedWords } from '../../text/words/terms.js';
import { wordForms } from '../../text/words/word-forms.js';
import { contentTokens } from '../../text/words/split-words.js';
import { findWordsBegun } from '../../pages/store/vocabulary.js';

/** Ranks pages by content for a query in natural language. */
export async function rankForQuery(
  deps: CandidateDeps,
  ranking: Ranking<QuestionEvidence, QuestionCurve>,
  space: SearchSpace,
  query: string,
  limit: number,
  signal?: AbortSignal,
): Promise<RankedAnswer> {
  const candidates = await findContentCandidates(deps, space, ranking.rank, query, limit, signal);
  return { understood: query, ...rankContent(ranking, candidates) };
}

/** With completions, four letters of a title find nine of ten pages of the example shop among five; else a third. */
const MAX_COMPLETIONS = 3;

/** Ranks pages for words of which the last may be unfinished: by words alone, without model and vectors. */
export async function rankForTyped(
  deps: CandidateDeps,
  ranking: Ranking<QuestionEvidence, QuestionCurve>,
  space: SearchSpace,
  typed: string,
  limit: number,
  signal?: AbortSignal,
): Promise<RankedAnswer> {
  const last = /[\p{L}\p{N}\p{M}]$/u.test(typed) ? [...contentTokens(typed)].at(-1) : undefined;
  const completed = last === undefined ? [] : await findWordsBegun(space, last, MAX_COMPLETIONS);
  const text = [typed, ...completed].join(' ');
  const vector = deps.models.zeroVector(space.modelId);
  const candidates = await findContentCandidates(deps, space, ranking.rank, text, limit, signal, undefined, vector);
  const matching = candidates.filter(({ evidence }) => evidence.lexical > 0);
  // The search used no model, so that another model would find nothing else.
  return { understood: text, ...rankContent(ranking, matching), byVectors: true };
}

/** Ranks pages by content for a dead path: suggest without path evidence. */
export async function rankForPathByContent(
  deps: CandidateDeps,
  ranking: Ranking<QuestionEvidence, QuestionCurve>,
  space: SearchSpace,
  path: DeadPath,
  limit: number,
  signal?: AbortSignal,
): Promise<RankedAnswer> {
  const understood = await understandPath(deps, space, path);
  const text = understood.words.words.join(' ');
  if (text === '') return { understood: text, ranked: [], byVectors: false };
  const maxScore = (page: FoundPage): number => {
    if (path.isProbe) return MAX_DOUBTED_SCORE;
    if (isContradictedBy(path.identities, page.path)) return MAX_CONTRADICTED_SCORE;
    return page.is_waiting ? MAX_WAITING_SCORE : 1;
  };
  const { keys } = redirectKeys(path.plain);
  const vector = embedPath(deps.models, space.modelId, understood.words, signal);
  const candidates = await findContentCandidates(deps, space, ranking.rank, text, limit, signal, keys, vector);
  return { understood: text, ...rankContent(ranking, candidates, understood, maxScore) };
}

function rankContent(
  { rank: weights, score: curve }: Ranking<QuestionEvidence, QuestionCurve>,
  candidates: readonly ContentCandidate[],
  understood?: UnderstoodPath,
  maxScore: (page: FoundPage) => number = () => 1,
): Pick<RankedAnswer, 'ranked' | 'byVectors'> {
  const byVectors = candidates.some(({ evidence }) => evidence.dense > 0);
  const rank = rankBy(weights);
  const values = candidates.map(({ evidence, page }) => rank(evidence) + CLICKED_WEIGHT * page.clicked);
  const best = candidates[values.indexOf(Math.max(...values))];
  const { dense = 0, lexical = 0 } = best?.evidence ?? {};
  const bestPage = { dense: byVectors ? dense : USUAL_COSINE, lexical };
  const scores = scoreQuestion(curve, values, bestPage);
  // Clicks alone make no answer as good as certain: a visitor can forge them.
  if (candidates.some(({ page }) => page.clicked > 0)) {
    const withoutClicks = candidates.map(({ evidence }) => rank(evidence));
    for (const [at, score] of scoreQuestion(curve, withoutClicks, bestPage).entries())
      scores[at] = Math.min(scores[at] ?? 0, Math.max(score, MAX_SCORE_FROM_CLICKS));
  }
  const evidenceOf = explainAmong(() =>
    candidates.map(({ evidence, page }) => partsOf(weights, evidence).set('clicked', CLICKED_WEIGHT * page.clicked)),
  );
  const ranked = sortByScore(
    candidates.map(({ page }, i) => ({
      pageId: page.page_id,
      value: values[i] ?? 0,
      score: Math.min(maxScore(page), scores[i] ?? 0),
      page,
      explain: () => explain(evidenceOf(i), understood),
    })),
  ).filter(({ page }) => !page.is_excluded);
  return { ranked, byVectors };
}

interface ContentCandidate {
  evidence: QuestionEvidence;
  page: FoundByContent;
}

/** A clicked question adds this to a page's sum: 4/5 of its cosines' most (docs/evidence/decisions/0100). */
export const CLICKED_WEIGHT = 13;

/** A score compares pages: at least MIN_CANDIDATES are read, and MORE since headings are compared, too. */
const MIN_CANDIDATES = 10;
const MORE = 20;

/** Finds the pages nearest to a text by vectors and terms, unordered. `embedding`: if not the text's own vector. */
export async function findContentCandidates(
  deps: CandidateDeps,
  space: SearchSpace,
  weights: ContentWeights,
  text: string,
  limit: number,
  signal?: AbortSignal,
  ownKeys?: readonly Buffer[],
  embedding?: Promise<Float32Array>,
): Promise<ContentCandidate[]> {
  const { words, codes } = searchedWords(text);
  const allWords = [...words, ...codes];
  const [vector, site] = await Promise.all([
    embedding ?? deps.models.embedQuery(space.modelId, text, signal ? { signal } : {}),
    lookUpSiteWords(deps.vocabulary, space, allWords.flatMap(wordForms)),
  ]);
  const terms = searchedTerms(words, codes, site.termWeight, site.isKnown);
  const lookups = chooseLookups(space, allWords, site, QUESTION_BUDGET);
  // Clicks on answers to questions do not decide about dead paths, which may be redirected.
  const question = { vector, terms, weights, lookups, clickedWeight: embedding === undefined ? CLICKED_WEIGHT : 0 };
  const pages = await findByContent(space, question, Math.max(MIN_CANDIDATES, limit) + MORE, ownKeys);
  const compare = prepareQuestion(text, site.termWeight, deps.headings);
  const candidates = pages.map((page): ContentCandidate => {
    const { dense, beginning, denseTitle, denseMax, lexical } = page;
    return { page, evidence: { dense, beginning, denseTitle, denseMax, lexical, ...compare(page) } };
  });
  assumeCosines(candidates.map(({ evidence, page }) => ({ evidence, hasVectors: page.has_vectors })));
  return candidates;
}

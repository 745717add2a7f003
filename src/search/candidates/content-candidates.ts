import { findByContent, type ContentWeights } from '../store/by-content.js';
import type { SearchSpace } from '../store/space.js';
import { chooseLookups, lookUpSiteWords, type CandidateDeps } from './word-look-ups.js';
import type { QuestionEvidence } from '../ranking/scores/calibration.js';
import type { RankedPage } from './ranked.js';
import { prepareQuestion } from '../ranking/evidence/heading-evidence.js';
import { QUESTION_BUDGET } from '../../text/words/term-lookups.js';
import { searchedTerms, searchedWords, wordForms } from '../../text/words/terms.js';

export interface ContentCandidate {
  pageId: string;
  evidence: QuestionEvidence;
  page: RankedPage;
  /** Left out of the answer. */
  isExcluded: boolean;
}

/** A score compares a page with the others. Of these more, headings are compared, too. */
const MIN_CANDIDATES = 10;
const MORE = 20;

/** How many pages, those nearest by content, are compared by their headings, too. */
export function comparedPages(limit: number): number {
  return Math.max(MIN_CANDIDATES, limit) + MORE;
}

/**
 * Finds the pages whose content is nearest to a text by vectors and terms, unordered. `embedding`: of the text itself
 * where it is left out. `ownKeys`: see {@link findByContent}.
 */
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
  const asked = [...words, ...codes];
  const [vector, site] = await Promise.all([
    embedding ?? deps.models.embedQuery(space.modelId, text, signal ? { signal } : {}),
    lookUpSiteWords(deps.vocabulary, space, asked.flatMap(wordForms)),
  ]);
  const terms = searchedTerms(words, codes, site.termWeight, site.isKnown);
  const lookups = chooseLookups(space, asked, site, QUESTION_BUDGET);
  const question = { vector, terms, weights, lookups };
  const found = await findByContent(space, question, comparedPages(limit), ownKeys);
  const compare = prepareQuestion(text, site.termWeight, deps.headings);
  return found.map((page): ContentCandidate => {
    const { page_id: pageId, dense, beginning, denseTitle, denseMax, lexical } = page;
    return {
      pageId,
      evidence: { dense, beginning, denseTitle, denseMax, lexical, ...compare(page) },
      page,
      isExcluded: page.is_excluded,
    };
  });
}

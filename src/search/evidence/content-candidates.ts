import { findByContent, type ContentWeights, type FoundByContent } from '../../database/queries/search/by-content.js';
import type { SearchSpace } from '../../database/queries/search/space.js';
import { chooseLookups, lookUpSiteWords, type CandidateDeps } from './candidates.js';
import { QUESTION_BUDGET } from '../../text/words/term-lookups.js';
import { searchedTerms, searchedWords, wordForms } from '../../text/words/terms.js';

export interface ContentCandidates {
  /** Best first. */
  candidates: FoundByContent[];
  /** The number of distinct words of the text. */
  words: number;
}

/** A score compares a page with the tenth best. */
const MIN_CANDIDATES = 10;

/** Finds the pages whose content is nearest to a text by vectors and terms. `ownKeys`: see {@link findByContent}. */
export async function findContentCandidates(
  deps: CandidateDeps,
  space: SearchSpace,
  weights: ContentWeights,
  text: string,
  limit: number,
  withContent: boolean,
  signal?: AbortSignal,
  ownKeys?: readonly Buffer[],
): Promise<ContentCandidates> {
  const { words, codes } = searchedWords(text);
  const asked = [...words, ...codes];
  const [vector, site] = await Promise.all([
    deps.models.embedQuery(space.modelId, text, signal ? { signal } : {}),
    lookUpSiteWords(deps.vocabulary, space, asked.flatMap(wordForms)),
  ]);
  const terms = searchedTerms(words, codes, site.termWeight, site.isKnown);
  const lookups = chooseLookups(space, asked, site, QUESTION_BUDGET);
  const candidates = await findByContent(
    space,
    { vector, terms, weights, lookups },
    Math.max(MIN_CANDIDATES, limit),
    limit,
    withContent,
    ownKeys,
  );
  return { candidates, words: words.length };
}

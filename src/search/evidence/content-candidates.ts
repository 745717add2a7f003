import { findByContent, type ContentWeights, type FoundByContent } from '../../database/queries/search/by-content.js';
import type { SearchSpace } from '../../database/queries/search/space.js';
import { lookupsOf, wordsOfSite, type CandidateDeps } from './candidates.js';
import { OF_QUESTION } from '../../text/words/term-lookups.js';
import { searchedTerms, searchedWords, wordForms } from '../../text/words/terms.js';

/** Candidates by content, best first. */
export interface ContentCandidates {
  candidates: FoundByContent[];
  /** Distinct words of what was searched for. */
  words: number;
}

/** So many places are always looked at: a question's score compares the best with the tenth. */
const COMPARED = 10;

/**
 * The pages whose content is nearest to a text by meaning (vectors) and by wording (terms), best first. `ownKeys`: of a
 * dead path.
 */
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
    wordsOfSite(deps.vocabulary, space, asked.flatMap(wordForms)),
  ]);
  const terms = searchedTerms(words, codes, site.termWeight, site.isKnown);
  const lookups = lookupsOf(space, asked, site, OF_QUESTION);
  const candidates = await findByContent(
    space,
    { vector, terms, weights, lookups },
    Math.max(COMPARED, limit),
    limit,
    withContent,
    ownKeys,
  );
  return { candidates, words: words.length };
}

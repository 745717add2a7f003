import { correctSpelling, type UnderstoodPath } from '../ranking/spelling/correct-spelling.js';
import type { Vocabulary, IndexedTenant } from './site-vocabulary.js';
import type { DeadPath } from '../../text/paths/dead-path.js';

/** Corrects a dead path's spelling by the project's vocabulary; common words are no slips of other words. */
export async function understandPath(
  { vocabulary }: { vocabulary: Vocabulary },
  space: IndexedTenant,
  { words, slug }: DeadPath,
): Promise<UnderstoodPath> {
  if (words.length === 0) return { words: { words, slug }, corrections: [], counts: new Map() };
  const { known, near } = await vocabulary.spelling(space, words);
  return { ...correctSpelling({ words, slug }, known, near, (word) => vocabulary.isCommon(word)), counts: known };
}

import type { ModelRegistry } from '../../embedding/model-registry.js';
import { hasWord } from '../../embedding/word-set.js';
import { correctSpelling, type UnderstoodPath } from '../ranking/spelling/correct-spelling.js';
import type { Vocabulary, IndexedTenant } from './site-vocabulary.js';
import type { DeadPath } from '../../text/paths/dead-path.js';

export interface SpellingDeps {
  vocabulary: Vocabulary;
  models: Pick<ModelRegistry, 'find'>;
}

const NO_WORDS = new Uint32Array();

/** Corrects a dead path's spelling by the project's vocabulary; the words of its model are no slips of other words. */
export async function understandPath(
  { vocabulary, models }: SpellingDeps,
  space: IndexedTenant & { modelId: number },
  { words, slug }: DeadPath,
): Promise<UnderstoodPath> {
  if (words.length === 0) return { words: { words, slug }, corrections: [], counts: new Map() };
  const { known, near } = await vocabulary.spelling(space, words);
  const real = (await models.find(space.modelId))?.words ?? NO_WORDS;
  return { ...correctSpelling({ words, slug }, known, near, (word) => hasWord(real, word)), counts: known };
}

import type { PathWords } from '../../glossary.js';
import { correctSpelling, type Correction } from './spelling.js';
import type { Vocabulary, IndexedTenant } from './site-vocabulary.js';
import type { DeadPath } from '../../text/paths/dead-path.js';

export interface UnderstoodPath {
  words: PathWords;
  corrections: Correction[];
  /** The vocabulary's counts that were read for this. */
  counts: ReadonlyMap<string, number>;
}

/** Corrects a dead path's spelling by the project's vocabulary. */
export async function understandPath(
  vocabulary: Vocabulary,
  tenant: IndexedTenant,
  { words, slug }: DeadPath,
): Promise<UnderstoodPath> {
  if (words.length === 0) return { words: { words, slug }, corrections: [], counts: new Map() };
  const { known, near } = await vocabulary.spelling(tenant, words);
  return { ...correctSpelling({ words, slug }, known, near), counts: known };
}

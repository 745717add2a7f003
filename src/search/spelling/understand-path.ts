import type { PathWords } from '../../glossary.js';
import { correctSpelling, type Correction } from './spelling.js';
import type { Vocabulary, VocabularyScope } from './vocabulary.js';
import { sanitizePath } from '../../text/paths/sanitize-path.js';

export interface UnderstoodPath {
  words: PathWords;
  corrections: Correction[];
  /** Counts in the vocabulary that were looked up on the way. */
  counts: ReadonlyMap<string, number>;
}

/** Sanitizes a dead path and corrects its spelling against the project's own vocabulary. */
export async function understandPath(
  vocabulary: Vocabulary,
  scope: VocabularyScope,
  path: string,
): Promise<UnderstoodPath> {
  const sanitized = sanitizePath(path);
  if (sanitized.words.length === 0) return { words: sanitized, corrections: [], counts: new Map() };
  const { known, near } = await vocabulary.spelling(scope, sanitized.words);
  return { ...correctSpelling(sanitized, known, near), counts: known };
}

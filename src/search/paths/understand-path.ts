import type { Db } from '../../database/connect.js';
import { findNearWords, lookUpWords } from '../../database/queries/vocabulary.js';
import type { PathWords } from '../../glossary.js';
import { sanitizePath } from './sanitize-path.js';
import { correctSpelling, exactProbes, unknownWords, type Correction } from '../words/spelling.js';

export interface UnderstoodPath {
  words: PathWords;
  corrections: Correction[];
}

/** Sanitizes a dead path and corrects its spelling against the project's own vocabulary. */
export async function understandPath(db: Db, projectId: string, path: string): Promise<UnderstoodPath> {
  const sanitized = sanitizePath(path);
  if (sanitized.words.length === 0) return { words: sanitized, corrections: [] };
  const known = await lookUpWords(db, projectId, exactProbes(sanitized.words));
  const unknown = unknownWords(sanitized.words, known);
  const near = unknown.length === 0 ? new Map<string, never[]>() : await findNearWords(db, projectId, unknown);
  return correctSpelling(sanitized, known, near);
}

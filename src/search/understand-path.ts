import type { Db } from '../database/connect.js';
import { findNearWords, lookUpWords } from '../database/queries/vocabulary.js';
import type { PathWords } from '../glossary.js';
import { sanitizePath } from './sanitize-path.js';
import { correctSpelling, exactProbes, unknownWords, type Correction } from './spelling.js';

export interface UnderstoodPath {
  words: PathWords;
  corrections: Correction[];
  /** Pages of the project that hold a word; for weighing words by how telling they are. */
  pagesOf: (word: string) => number;
}

/** Sanitizes a dead path and corrects its spelling against the project's own vocabulary. */
export async function understandPath(db: Db, projectId: string, path: string): Promise<UnderstoodPath> {
  const sanitized = sanitizePath(path);
  if (sanitized.words.length === 0) return { words: sanitized, corrections: [], pagesOf: () => 0 };
  const known = await lookUpWords(db, projectId, exactProbes(sanitized.words));
  const unknown = unknownWords(sanitized.words, known);
  const near = unknown.length === 0 ? new Map<string, never[]>() : await findNearWords(db, projectId, unknown);
  const { words, corrections } = correctSpelling(sanitized, known, near);
  const pages = new Map(known);
  for (const candidates of near.values()) for (const { word, pages: count } of candidates) pages.set(word, count);
  return { words, corrections, pagesOf: (word) => pages.get(word) ?? 0 };
}

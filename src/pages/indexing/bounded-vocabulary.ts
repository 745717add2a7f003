import type { Trx } from '../../platform/database/db.js';
import type { NewIndexRow } from '../store/index-rows.js';
import { findKnownWords, readVocabularySize } from '../store/vocabulary.js';

/**
 * Words in one project's vocabulary. The largest of the 27 sites that spelling is measured on has 60,000; all together
 * have 308,000. A word takes some 200 bytes with its indexes.
 */
const MAX_WORDS = 1_000_000;

/**
 * Keeps the vocabulary within its limit. When the new words of these pages' contents do not fit, only known words are
 * counted. Pages are still found by the other words, but spelling does not correct to them or know that they are rare.
 * Words of paths, max 128 per page, are always counted: dead paths are spelt like them.
 */
export async function fitVocabulary(
  trx: Trx,
  projectId: string,
  rows: readonly NewIndexRow[],
): Promise<readonly NewIndexRow[]> {
  const room = MAX_WORDS - (await readVocabularySize(trx, projectId));
  // Nearly always there is room even if no two pages shared a word.
  if (rows.reduce((sum, row) => sum + row.words.length, 0) <= room) return rows;
  const words = [...new Set(rows.flatMap((row) => row.words))];
  if (words.length <= room) return rows;
  const known = await findKnownWords(trx, projectId, words);
  return rows.map((row) => ({ ...row, words: row.words.filter((word) => known.has(word)) }));
}

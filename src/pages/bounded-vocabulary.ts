import type { Trx } from '../database/db.js';
import type { NewIndexRow } from '../database/queries/page-index.js';
import { knownWords, vocabularySize } from '../database/queries/vocabulary.js';

/**
 * Words of a project's vocabulary. The 27 sites that spelling is measured on have 60,000 at most, and 308,000 together.
 * A word takes some 200 bytes with its indexes.
 */
const MAX_WORDS = 1_000_000;

/**
 * Pages as they may be stored: where the vocabulary has no room for all of their contents' words, with those of them
 * that it has already. They are found by the others too, which are no more corrected to, nor known to be rare. Words of
 * paths, 128 of a page at most, always come in: they are what dead paths are spelt like.
 */
export async function fitVocabulary(
  trx: Trx,
  projectId: string,
  rows: readonly NewIndexRow[],
): Promise<readonly NewIndexRow[]> {
  const words = [...new Set(rows.flatMap((row) => row.words))];
  if (words.length <= MAX_WORDS - (await vocabularySize(trx, projectId))) return rows;
  const known = await knownWords(trx, projectId, words);
  return rows.map((row) => ({ ...row, words: row.words.filter((word) => known.has(word)) }));
}

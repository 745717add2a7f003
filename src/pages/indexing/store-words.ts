import { runYielding } from '../../base/map-yielding.js';
import type { PathWords } from '../../base/glossary.js';
import type { Trx } from '../../platform/database/db.js';
import { textOfPushed } from '../../sources/html/html-text.js';
import { parsePageUrl } from '../../text/page-url.js';
import { sanitizePath } from '../../text/paths/sanitize-path.js';
import { trigramSignature } from '../../text/words/likeness.js';
import { readHeadings } from '../../text/words/split-words.js';
import { stepPageWords, type TermWeights } from '../../text/words/terms.js';
import { upsertIndexRows, type IndexStage, type NewIndexRow, type VectorTypes } from '../store/index-rows.js';
import { changeVocabulary, findKnownWords, readVocabularySize, replacePageTerms } from '../store/vocabulary.js';

/** The words, terms and path of a page, computed outside any transaction. */
export interface PageWords {
  row: Omit<NewIndexRow, 'stage'>;
  terms: TermWeights;
}

interface IndexedPage {
  page_id: string;
  url: string;
  content: string;
  title: string | null;
  content_version: string;
}

/** The content of a page without markup; its title on top stays as it is. */
export function plainContent({ title, content }: Pick<IndexedPage, 'title' | 'content'>): string {
  const above = title !== null && content.startsWith(title) ? title.length : 0;
  return content.slice(0, above) + textOfPushed(content.slice(above));
}

/** Reads the path of a page's url, and the words of the path. */
export function readPagePath({ url }: Pick<IndexedPage, 'url'>): { path: string; pathWords: PathWords } {
  const path = parsePageUrl(url)?.path ?? '/';
  return { path, pathWords: sanitizePath(path) };
}

/** Computes the words and terms of a page with {@link plainContent}. */
export async function prepareWords(page: IndexedPage): Promise<PageWords> {
  const { words, terms } = await runYielding(stepPageWords(page.content));
  const { path, pathWords } = readPagePath(page);
  const [ofPath, ofSlug] = [pathWords.words.join(' '), pathWords.slug.join(' ')];
  return {
    row: {
      pageId: page.page_id,
      contentVersion: page.content_version,
      path,
      pathWords: ofPath,
      slugWords: ofSlug,
      signatures: { path: trigramSignature(ofPath), slug: trigramSignature(ofSlug) },
      words: [...words],
      headings: readHeadings(page.content),
    },
    terms,
  };
}

/** The words of a page that are to be stored, and the stage of what the same transaction stores of it. */
export type StagedWords = PageWords & { stage: IndexStage };

/** Stores the words of locked pages in place of `oldWords`. Returns the changes for {@link bumpIndexVersion}. */
export async function storeWords(
  trx: Trx,
  projectId: string,
  types: VectorTypes,
  pages: readonly StagedWords[],
  oldWords: ReadonlyMap<string, readonly string[]>,
): Promise<{ pages: number; words: number }> {
  if (pages.length === 0) return { pages: 0, words: 0 };
  const terms = pages.map((page) => ({ pageId: page.row.pageId, terms: page.terms }));
  await replacePageTerms(trx, projectId, types, terms);
  const newRows = pages.map(({ row, stage }) => ({ ...row, stage }));
  const rows = await fitVocabulary(trx, projectId, newRows);
  const added = await upsertIndexRows(trx, projectId, rows);
  return { pages: added, words: await changeVocabulary(trx, projectId, vocabularyChanges(rows, oldWords)) };
}

/** Computes by how many pages the count of each word changes when these pages' new words replace their old ones. */
function vocabularyChanges(
  rows: readonly Pick<NewIndexRow, 'pageId' | 'pathWords' | 'words'>[],
  oldWords: ReadonlyMap<string, readonly string[]>,
): Map<string, number> {
  const changes = new Map<string, number>();
  const add = (words: readonly string[], change: number): void => {
    for (const word of new Set(words)) if (word !== '') changes.set(word, (changes.get(word) ?? 0) + change);
  };
  for (const row of rows) {
    add(oldWords.get(row.pageId) ?? [], -1);
    add([...row.words, ...row.pathWords.split(' ')], 1);
  }
  return changes;
}

/**
 * The maximum number of words in one project's vocabulary. The largest of the 27 sites that spelling is measured on has
 * 60,000; all together have 308,000. A word takes some 200 bytes with its indexes.
 */
const MAX_WORDS = 1_000_000;

/**
 * Keeps the vocabulary within its limit. When the new words of these pages' contents do not fit, only known words are
 * counted. Pages are still found by the other words, but spelling does not correct to them or know that they are rare.
 * Words of paths, max 128 per page, are always counted: dead paths are spelt like them.
 */
async function fitVocabulary(trx: Trx, projectId: string, rows: readonly NewIndexRow[]) {
  const room = MAX_WORDS - (await readVocabularySize(trx, projectId));
  // Usually there is room for all words, even without shared ones.
  if (rows.reduce((sum, row) => sum + row.words.length, 0) <= room) return rows;
  const words = [...new Set(rows.flatMap((row) => row.words))];
  if (words.length <= room) return rows;
  const known = await findKnownWords(trx, projectId, words);
  return rows.map((row) => ({ ...row, words: row.words.filter((word) => known.has(word)) }));
}

import { runYielding } from '../../base/map-yielding.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import { keepingPlans } from '../../platform/database/session/driver.js';
import { bumpIndexVersion } from '../../projects/index-version.js';
import { adoptModel } from '../../projects/project-model.js';
import {
  lockUnchangedPages,
  readVectorTypes,
  replaceChunks,
  upsertIndexRows,
  type NewIndexRow,
  type NewChunk,
} from '../store/index-rows.js';
import { markIndexed, type ClaimedPage } from '../store/page-status.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import type { PathWords } from '../../base/glossary.js';
import { lockAnsweringModel } from '../store/models.js';
import { changeVocabulary, findKnownWords, readVocabularySize, replacePageTerms } from '../store/vocabulary.js';
import type { ModelRegistry } from '../../embedding/model-registry.js';
import { trigramSignature } from '../../text/words/likeness.js';
import { countedWords, stepPageWords, type TermWeights } from '../../text/words/terms.js';
import { readHeadings } from '../../text/words/split-words.js';
import { sanitizePath } from '../../text/paths/sanitize-path.js';
import { embedPage } from './embed-page.js';
import type { KnownVectors } from './known-vectors.js';
import { parsePageUrl } from '../../text/page-url.js';
import type { Trx } from '../../platform/database/db.js';
import { textOfPushed } from '../../sources/html/pushed-html.js';

/** A page's vectors and words, computed outside any transaction. */
export interface PreparedPage {
  page: ClaimedPage;
  chunks: NewChunk[];
  modelIds: number[];
  /** The project's wanted model. */
  wantedId: number;
  row: NewIndexRow;
  terms: TermWeights;
  /** Characters at the end without a chunk, of a page that is too long to embed. */
  unread: number;
}

/** Embeds a page with its project's answering model and its wanted one. */
export async function preparePage(models: ModelRegistry, claimed: ClaimedPage, wantedId: number, known?: KnownVectors) {
  const title = claimed.title ?? '';
  const above = title !== '' && claimed.content.startsWith(title) ? title.length : 0;
  const content = claimed.content.slice(0, above) + textOfPushed(claimed.content.slice(above));
  const page = { ...claimed, content };
  // First, while the model's thread is busy with other pages.
  const { words, terms } = await runYielding(stepPageWords(page.content));
  const modelIds = [...new Set([page.model_id ?? wantedId, wantedId])];
  const path = parsePageUrl(page.url)?.path ?? '/';
  const pathWords = sanitizePath(path);
  const slugWords = pathWords.slug.join(' ');
  const chunks: NewChunk[] = [];
  const embedded: number[] = [];
  for (const modelId of modelIds) {
    // If the old model is missing on this machine, its stored vectors answer until the change is complete.
    if (!(await models.find(modelId))) continue;
    const ofProject = known?.(page.project_id, modelId);
    chunks.push(...(await embedPage(models, modelId, page.page_id, { ...page, slugWords }, ofProject)));
    embedded.push(modelId);
  }
  return {
    page,
    chunks,
    modelIds: embedded,
    wantedId,
    row: {
      pageId: page.page_id,
      contentVersion: page.content_version,
      path,
      pathWords: pathWords.words.join(' '),
      slugWords,
      ...comparisonOf(pathWords),
      words: [...words],
      headings: readHeadings(page.content),
    },
    terms,
    unread: chunks.length === 0 ? 0 : page.content.trimEnd().length - Math.max(0, ...chunks.map(({ end }) => end)),
  };
}

/** The columns that dead paths are compared with. */
function comparisonOf({ words, slug }: PathWords): Pick<NewIndexRow, 'signatures' | 'countedWords'> {
  return {
    signatures: { path: trigramSignature(words.join(' ')), slug: trigramSignature(slug.join(' ')) },
    countedWords: countedWords({ words, slug }),
  };
}

/**
 * Stores prepared pages of one project in its index, in one transaction. Skips pages that were changed or deleted
 * meanwhile.
 * @returns the ids of the stored pages
 */
export async function storePreparedPages({ projectId, db }: Tenant, prepared: readonly PreparedPage[]) {
  return inTransaction(keepingPlans(db), async (trx) => {
    const versions = prepared.map(({ page }) => ({ pageId: page.page_id, contentVersion: page.content_version }));
    const unchanged = await lockUnchangedPages(trx, projectId, versions);
    const stored = prepared.filter(({ page }) => unchanged.has(page.page_id));
    const [first] = stored;
    if (!first) return [];
    const ids = stored.map(({ page }) => page.page_id);
    // Vectors of a model that was replaced meanwhile would never be read or deleted.
    const answering = await lockAnsweringModel(trx, projectId);
    const wanted = (modelId: number): boolean => modelId === (answering ?? modelId) || modelId === first.wantedId;
    const modelIds = [...new Set(stored.flatMap((one) => one.modelIds))].filter(wanted);
    const chunks = stored.flatMap((one) => one.chunks).filter((one) => wanted(one.modelId));
    const types = await readVectorTypes(trx);
    await replaceChunks(trx, projectId, types, ids, modelIds, chunks);
    const terms = stored.map((one) => ({ pageId: one.page.page_id, terms: one.terms }));
    await replacePageTerms(trx, projectId, types, terms);
    const newRows = stored.map((one) => one.row);
    const rows = await fitVocabulary(trx, projectId, newRows);
    const pages = await upsertIndexRows(trx, projectId, rows);
    await markIndexed(trx, projectId, ids);
    const words = await changeVocabulary(trx, projectId, vocabularyChanges(rows, unchanged));
    if (answering === null) await adoptModel(trx, projectId, first.wantedId);
    await bumpIndexVersion(trx, projectId, { pages, words });
    return ids;
  });
}

/** By how many pages each word's count changes when these pages' new words replace their old ones. */
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
 * Words in one project's vocabulary. The largest of the 27 sites that spelling is measured on has 60,000; all together
 * have 308,000. A word takes some 200 bytes with its indexes.
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

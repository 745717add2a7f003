import { inTransaction } from '../../platform/database/session/connect.js';
import { keepingPlans } from '../../platform/database/session/driver.js';
import type { Trx } from '../../platform/database/db.js';
import { bumpIndexVersion } from '../../projects/index-version.js';
import { makeDeletionWait } from '../../projects/turns.js';
import { adoptModel } from '../../projects/project-model.js';
import {
  lockUnchangedPages,
  readVectorTypes,
  replaceChunks,
  storeUnread,
  touchIndexRows,
  type NewChunk,
  findVectors,
} from '../store/index-rows.js';
import { markIndexed, type ClaimedPage } from '../store/page-status.js';
import type { Tenant, Tenants } from '../../platform/database/session/tenants.js';
import { lockAnsweringModel } from '../store/models.js';
import type { ModelRegistry } from '../../embedding/model-registry.js';
import { isQuick, hashText, type ContentOptions } from '../../embedding/embedder.js';
import { cutHead, embedPage } from './embed-page.js';
import { plainContent, prepareWords, readPagePath, storeWords, type PageWords } from './store-words.js';

/** A page's vectors and words, computed outside any transaction. */
export interface PreparedPage {
  page: ClaimedPage;
  chunks: NewChunk[];
  modelIds: number[];
  wantedId: number;
  /** The words of the page; undefined if they are stored already. */
  words: PageWords | undefined;
  stage: 'understood' | 'indexed';
  /** The number of characters without a chunk, at the end of a page that is too long to embed. */
  unread: number;
}

/** Embeds a page with the answering and the wanted model; of a page that takes a slow model long, first its head. */
export async function preparePage(
  models: ModelRegistry,
  claimed: ClaimedPage,
  wantedId: number,
  known?: KnownVectors,
): Promise<PreparedPage> {
  const page = { ...claimed, content: plainContent(claimed) };
  // The words come first, while the model's thread is busy with other pages.
  const words = page.stage === null ? await prepareWords(page) : undefined;
  const head = cutHead(page.content);
  const isFirst = page.stage !== 'understood' && !page.has_former && head.length < page.content.trimEnd().length;
  const wantedModel = isFirst ? await models.find(wantedId) : undefined;
  const stage = wantedModel && !isQuick(wantedModel) ? 'understood' : 'indexed';
  const read = stage === 'understood' ? { ...page, content: head } : page;
  const modelIds = [...new Set([page.model_id ?? wantedId, wantedId])];
  const slugWords = readPagePath(page).pathWords.slug.join(' ');
  const chunks: NewChunk[] = [];
  const embedded: number[] = [];
  for (const modelId of modelIds) {
    // If the old model is missing on this machine, its stored vectors answer until the change is complete.
    if (!(await models.find(modelId))) continue;
    const ofProject = known?.(page.project_id, modelId);
    chunks.push(...(await embedPage(models, modelId, page.page_id, { ...read, slugWords }, ofProject)));
    embedded.push(modelId);
  }
  const isRead = chunks.length > 0 && stage === 'indexed';
  const unread = isRead ? page.content.trimEnd().length - Math.max(0, ...chunks.map(({ end }) => end)) : 0;
  return { page, chunks, modelIds: embedded, wantedId, words, stage, unread };
}

/**
 * Stores prepared pages of one project in its index, in one transaction. Skips pages that were changed or deleted
 * meanwhile.
 * @param queueRest gets the pages whose rest must be embedded
 * @returns the ids of the stored pages
 */
export async function storePreparedPages(
  { projectId, db }: Tenant,
  prepared: readonly PreparedPage[],
  queueRest?: (trx: Trx, pageIds: readonly string[]) => Promise<void>,
) {
  return inTransaction(keepingPlans(db), async (trx) => {
    await makeDeletionWait(trx, projectId);
    const versions = prepared.map(({ page }) => ({ pageId: page.page_id, contentVersion: page.content_version }));
    const unchanged = await lockUnchangedPages(trx, projectId, versions);
    const stored = prepared.filter(({ page }) => unchanged.has(page.page_id));
    const [first] = stored;
    if (!first) return [];
    const ids = stored.map(({ page }) => page.page_id);
    // Vectors of a model that was replaced meanwhile would never be read or deleted.
    const answering = await lockAnsweringModel(trx, projectId);
    const wanted = (modelId: number): boolean => modelId === (answering ?? modelId) || modelId === first.wantedId;
    const modelIds = [...new Set(stored.flatMap((page) => page.modelIds))].filter(wanted);
    const chunks = stored.flatMap((page) => page.chunks).filter(({ modelId }) => wanted(modelId));
    const types = await readVectorTypes(trx);
    await replaceChunks(trx, projectId, types, ids, modelIds, chunks);
    const words = stored.flatMap((page) => (page.words ? [{ ...page.words, stage: page.stage }] : []));
    const changes = await storeWords(trx, projectId, types, words, unchanged);
    for (const stage of ['understood', 'indexed'] as const) {
      const touched = stored.flatMap((prepared) =>
        prepared.stage === stage && !prepared.words ? [prepared.page.page_id] : [],
      );
      await touchIndexRows(trx, projectId, touched, stage);
    }
    for (const { page, unread } of stored) if (unread > 0) await storeUnread(trx, projectId, page.page_id, unread);
    const idsOf = (stage: PreparedPage['stage']): string[] =>
      stored.flatMap((page) => (page.stage === stage ? [page.page.page_id] : []));
    await markIndexed(trx, projectId, idsOf('indexed'));
    await queueRest?.(trx, idsOf('understood'));
    if (answering === null) await adoptModel(trx, projectId, first.wantedId);
    await bumpIndexVersion(trx, projectId, changes);
    return ids;
  });
}

/** Looks up a project's stored vectors of texts under a model. */
type KnownVectors = (projectId: string, modelId: number) => NonNullable<ContentOptions['known']>;

interface LookUp {
  hashes: Set<bigint>;
  vectors: Promise<Map<bigint, Float32Array>>;
}

/** Batches look-ups: texts gather for the next one while one is running. */
export function createKnownVectors(tenants: Tenants): KnownVectors {
  const gathering = new Map<string, LookUp>();
  const last = new Map<string, Promise<unknown>>();
  return (projectId, modelId) => async (texts) => {
    const key = `${projectId} ${modelId}`;
    let next = gathering.get(key);
    if (!next) {
      const hashes = new Set<bigint>();
      const before = last.get(key) ?? Promise.resolve();
      const lookedUp = before.then(() => {
        gathering.delete(key);
        return findVectors(tenants.of(projectId).db, projectId, modelId, [...hashes]);
      });
      // The callers of the look-up get its error.
      const ended = lookedUp.catch(() => undefined);
      last.set(key, ended);
      gathering.set(key, (next = { hashes, vectors: lookedUp }));
    }
    const wanted = texts.map(hashText);
    for (const hash of wanted) next.hashes.add(hash);
    const vectors = await next.vectors;
    return wanted.map((hash) => vectors.get(hash));
  };
}

import type { JobWithMetadata } from 'pg-boss';
import { inTransaction } from '../../platform/database/session/connect.js';
import type { Db } from '../../platform/database/db.js';
import { bumpIndexVersion } from '../../projects/index-version.js';
import {
  countPagesOfModel,
  markEmbeddingFailed,
  findPagesWithoutVectors,
  switchModel,
  type FailedPage,
} from '../store/models.js';
import { findModelChoice, findProjectsToChange } from '../store/model-choices.js';
import { wantedModels } from './choose-model.js';
import { embedQuestions } from '../../rules/embed-questions-job.js';
import { createKnownVectors, preparePage, storePreparedPages, type PreparedPage } from './index-pages.js';
import { ofProjects, type Job } from '../../platform/queue/job.js';
import type { JobQueue } from '../../platform/queue/queue.js';
import { reasonOf, type VectorizeDeps } from './vectorize-batch.js';

/** Indexes a project's pages with another model, then switches the project to it. */
export const changeModel: Job<{ projectId: string }, VectorizeDeps> = {
  name: 'change-model',
  policy: 'short',
  key: ({ projectId }) => projectId,
  options: {
    notify: true,
    retryLimit: 20,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 600,
    expireInSeconds: 86_400,
    heartbeatSeconds: 60,
    deleteAfterSeconds: 3_600,
  },
  work: (deps) => ({
    pollingSeconds: 2,
    handle: async (jobs) => {
      for (const job of jobs) await changeProjectModel(deps, job);
    },
  }),
};

/** The number of pages that one transaction stores. */
const MAX_PAGES = 20;

/** After these retries, the change continues without the pages that the new model cannot embed. */
const MAX_PAGE_RETRIES = 2;

/** Queues a change for every project that has another model's vectors, or answers with another model. */
export async function queueModelChanges({ db, queue }: { db: Db; queue: JobQueue }): Promise<void> {
  await queue.enqueueNow(changeModel, ofProjects(await findProjectsToChange(db)));
}

/**
 * Embeds a project's indexed pages with the wanted model while the old one answers, then switches. Words are read
 * again, too, because a release with a new model may read them differently. Jobs of pages that change meanwhile write
 * vectors of both models. After an interruption, pages with vectors are skipped. If the old model is chosen again
 * meanwhile, the next job finds its vectors and deletes the new ones.
 *
 * A page that the new model cannot embed ends in ERROR after its retries, and is found by its path and words only. If
 * more pages fail than succeed, the old model stays.
 */
async function changeProjectModel(deps: VectorizeDeps, job: JobWithMetadata<{ projectId: string }>): Promise<void> {
  const { projectId } = job.data;
  const { db } = deps.tenants.of(projectId);
  const name = (await wantedModels(deps, [projectId])).get(projectId);
  // Without a name, the project was deleted.
  if (name === undefined) return;
  const { modelId } = await deps.models.named(name);
  const failed = await indexMissing(deps, job, name, modelId);
  if (!failed) return;
  const embedded = await countPagesOfModel(db, projectId, modelId);
  if (failed.length > 0) {
    const [first] = failed;
    const problem = `${failed.length} pages cannot be embedded with the new model: ${first?.reason ?? ''}`;
    if (job.retryCount < MAX_PAGE_RETRIES) throw new Error(`${problem}; they are tried again`);
    if (failed.length > embedded) throw new Error(`${problem}; the old model goes on answering`);
  }
  await inTransaction(db, async (trx) => {
    const failedIds = failed.map(({ pageId }) => pageId);
    await switchModel(trx, projectId, modelId, failedIds);
    await markEmbeddingFailed(trx, projectId, failed);
    await deps.queue.enqueue(trx, embedQuestions, [{ projectId }]);
    await bumpIndexVersion(trx, projectId);
  });
  deps.indexChanges.committed(projectId);
  await deps.buildTrigger.modelChanged(projectId);
  for (const { pageId, reason } of failed) {
    deps.metrics.pagesFailed.inc();
    deps.logger.error('a page could not be embedded with the new model', {
      project_id: projectId,
      page_id: pageId,
      reason,
    });
  }
  deps.logger.info('a project answers with another model now', {
    project_id: projectId,
    model_id: modelId,
    pages: embedded,
  });
}

/** Indexes the pages without vectors of the new model. @returns failed pages; undefined if the choice has changed */
async function indexMissing(
  deps: VectorizeDeps,
  job: JobWithMetadata<{ projectId: string }>,
  name: string,
  modelId: number,
): Promise<FailedPage[] | undefined> {
  const { projectId } = job.data;
  const tenant = deps.tenants.of(projectId);
  const known = createKnownVectors(deps.tenants);
  const failed: FailedPage[] = [];
  for (let after = ''; ;) {
    // A changed choice has its own job.
    if ((await findModelChoice(deps.db, projectId))?.wanted !== name) return undefined;
    const pages = await findPagesWithoutVectors(tenant.db, projectId, modelId, after, MAX_PAGES);
    const last = pages.at(-1);
    if (!last) return failed;
    after = last.page_id;
    const prepared: PreparedPage[] = [];
    for (const page of pages) {
      if (job.signal.aborted) throw new Error('interrupted: goes on with the next attempt');
      try {
        prepared.push(await preparePage(deps.models, page, modelId, known));
      } catch (error) {
        failed.push({ pageId: page.page_id, contentVersion: page.content_version, reason: reasonOf(error) });
      }
    }
    if (prepared.length === 0) continue;
    const stored = await storePreparedPages(tenant, prepared);
    deps.metrics.pagesChangedModel.inc(stored.length);
    deps.indexChanges.committed(projectId);
  }
}

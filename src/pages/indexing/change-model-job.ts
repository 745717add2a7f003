import type { JobWithMetadata } from '#pg-boss';
import { inTransaction } from '../../platform/database/session/connect.js';
import type { Db } from '../../platform/database/db.js';
import { bumpIndexVersion } from '../../projects/index-version.js';
import {
  countPagesOfModel,
  markEmbeddingFailed,
  findPagesWithoutVectors,
  findProjectsToChange,
  switchModel,
  findWantedModel,
  type FailedPage,
} from '../store/models.js';
import { preparePage, storePreparedPages, type PreparedPage } from './index-pages.js';
import { ofProjects, type Job } from '../../platform/queue/job.js';
import type { JobQueue } from '../../platform/queue/queue.js';
import { reasonOf, type VectorizeDeps } from './vectorize-batch.js';

export interface ChangeModelPayload {
  projectId: string;
  modelId: number;
}

export interface ChangeModelDeps extends VectorizeDeps {
  /** Weights of a project's own end with the model that they were fitted for (docs/decisions/0044-own-weights.md). */
  queueFit: (projectId: string) => Promise<void>;
}

/** Indexes a project's pages with another model, then switches the project to it. */
export const changeModel: Job<ChangeModelPayload, ChangeModelDeps> = {
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

/** Of one transaction. */
const MAX_PAGES = 20;

/** After so many retries, the change goes on without the pages that the new model cannot embed. */
const MAX_PAGE_RETRIES = 2;

/** Queues a change for every project that has another model's vectors, or answers with another model. */
export async function queueModelChanges({ db, queue }: { db: Db; queue: JobQueue }): Promise<void> {
  const modelId = await findWantedModel(db);
  if (modelId === undefined) return;
  const changes = ofProjects(await findProjectsToChange(db, modelId)).map((one) => ({ ...one, modelId }));
  await queue.enqueueNow(changeModel, changes);
}

/**
 * Embeds a project's indexed pages with the configured model while the old one answers, then switches. Their words are
 * read again, too: a release that brings another model may read them otherwise. The jobs of pages that change meanwhile
 * write vectors of both models. After an interruption, pages that have vectors are skipped.
 *
 * An upgrade replaces workers one by one. A worker that does not have the latest model puts the job back for those that
 * have it, and stops fetching: otherwise it polls in step with them, and always fetches the job first.
 *
 * A page that the new model cannot embed does not keep the others on the old one: after its retries it ends in ERROR
 * with the reason, and is found by its path and words only. When more pages fail than succeed, the model is at fault,
 * and the old one goes on answering.
 */
async function changeProjectModel(deps: ChangeModelDeps, job: JobWithMetadata<ChangeModelPayload>): Promise<void> {
  const { projectId } = job.data;
  const { modelId } = deps.models.configured;
  const { db } = deps.tenants.of(projectId);
  const wanted = await findWantedModel(deps.db);
  if (wanted !== undefined && wanted !== modelId) {
    await deps.queue.stopWorking(changeModel);
    await deps.queue.enqueueNow(changeModel, [{ projectId, modelId: wanted }]);
    return;
  }
  const failed = await indexMissing(deps, job);
  const embedded = await countPagesOfModel(db, projectId, modelId);
  if (failed.length > 0) {
    const [first] = failed;
    const what = `${failed.length} pages cannot be embedded with the new model: ${first?.reason ?? ''}`;
    if (job.retryCount < MAX_PAGE_RETRIES) throw new Error(`${what}; they are tried again`);
    if (failed.length > embedded) throw new Error(`${what}; the old model goes on answering`);
  }
  await inTransaction(db, async (trx) => {
    const without = failed.map(({ pageId }) => pageId);
    await switchModel(trx, projectId, modelId, without);
    await markEmbeddingFailed(trx, projectId, failed);
    await bumpIndexVersion(trx, projectId);
  });
  deps.indexChanges.committed(projectId);
  await deps.buildTrigger.modelChanged(projectId);
  await deps.queueFit(projectId);
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

/** Indexes the pages that have no vectors of the new model yet; returns those that failed. */
async function indexMissing(deps: ChangeModelDeps, job: JobWithMetadata<ChangeModelPayload>): Promise<FailedPage[]> {
  const { projectId } = job.data;
  const tenant = deps.tenants.of(projectId);
  const failed: FailedPage[] = [];
  for (let after = ''; ;) {
    const pages = await findPagesWithoutVectors(tenant.db, projectId, deps.models.configured.modelId, after, MAX_PAGES);
    const last = pages.at(-1);
    if (!last) return failed;
    after = last.page_id;
    const prepared: PreparedPage[] = [];
    for (const page of pages) {
      if (job.signal.aborted) throw new Error('interrupted: goes on with the next attempt');
      try {
        prepared.push(await preparePage(deps.models, page));
      } catch (error) {
        failed.push({ pageId: page.page_id, contentVersion: page.content_version, reason: reasonOf(error) });
      }
    }
    if (prepared.length === 0) continue;
    await storePreparedPages(tenant, deps.models, prepared);
    deps.indexChanges.committed(projectId);
  }
}

import type { JobResult, JobWithMetadata } from 'pg-boss';
import { groupBy } from '../../base/group-by.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { keepingPlans } from '../../platform/database/session/driver.js';
import { claimPages, markFailed, type ClaimedPage, type PageKey } from '../store/page-status.js';
import type { Tenants } from '../../platform/database/session/tenants.js';
import type { ModelRegistry } from '../../embedding/model-registry.js';
import type { IndexChanges } from '../../projects/index-changes.js';
import type { Logger } from '../../base/logger.js';
import { wantedModels } from './choose-model.js';
import { createKnownVectors, preparePage, storePreparedPages, type PreparedPage } from './index-pages.js';
import type { PaceLog } from './pace.js';
import type { Metrics } from '../../platform/telemetry/metrics.js';
import type { PlannerStatistics } from '../../platform/database/maintenance.js';
import type { BuildTrigger } from '../large-projects/build-segments-job.js';
import { causeOf } from '../../platform/queue/job.js';
import type { JobQueue } from '../../platform/queue/queue.js';

export interface VectorizeDeps {
  db: Db;
  queue: JobQueue;
  tenants: Tenants;
  indexChanges: IndexChanges;
  models: ModelRegistry;
  logger: Logger;
  statistics: PlannerStatistics;
  buildTrigger: BuildTrigger;
  metrics: Metrics;
  paceLog: PaceLog;
}

/** Queues the rest of pages whose beginning is stored: it is embedded when no other page waits. */
export type QueueRest = (trx: Trx, projectId: string, pageIds: readonly string[]) => Promise<void>;

type VectorizeJob = JobWithMetadata<PageKey>;

/** The maximum number of pages that are embedded together: a full lane of them must end within a call's deadline. */
const MAX_PAGES = 16;
const MAX_CHARACTERS = 100_000;

/** The time after which ready pages are stored, while the rest of the batch is embedded. */
const STORE_AFTER_MS = 1_000;

/**
 * Processes a batch of vectorize-page jobs: claims the pages (PROCESSING), embeds some at a time outside any
 * transaction, and stores the ready ones, a transaction per project, while the next are embedded. With a fast model the
 * batch is stored in one transaction, so that its words are counted once. A page's failure leaves the others
 * untouched. Jobs of deleted or indexed pages are completed without work.
 */
export async function vectorizeBatch(deps: VectorizeDeps & { queueRest: QueueRest }, jobs: readonly VectorizeJob[]) {
  const keys = jobs.map((job) => job.data);
  const claimed = await inTransaction(keepingPlans(deps.db), (trx) => claimPages(trx, keys));
  const byId = new Map(claimed.map((page) => [page.page_id, page]));
  const wanted = await wantedModels(deps, [...new Set(claimed.map((page) => page.project_id))]);
  const known = createKnownVectors(deps.tenants);
  const prepare = async (page: ClaimedPage): Promise<PreparedPage> => {
    const name = wanted.get(page.project_id);
    if (name === undefined) throw new Error('the project is gone, or all its pages are');
    const { modelId } = await deps.models.named(name);
    return preparePage(deps.models, page, modelId, known);
  };
  const failures = new Map<string, unknown>();
  let ready: PreparedPage[] = [];
  let storing: Promise<void> | undefined;
  let since = performance.now();
  const storeReady = async (): Promise<void> => {
    while (ready.length > 0) {
      const pages = ready;
      ready = [];
      for (const [projectId, group] of groupBy(pages, ({ page }) => page.project_id))
        await storePages(deps, projectId, group, failures);
    }
    storing = undefined;
  };
  // Short pages first, so that none waits for a long one.
  for (const pages of chunkPages([...claimed].sort((a, b) => a.content.length - b.content.length))) {
    const prepared = await Promise.allSettled(pages.map(prepare));
    prepared.forEach((outcome, at) => {
      if (outcome.status === 'fulfilled') {
        ready.push(outcome.value);
        warnOfUnread(deps.logger, outcome.value);
      } else failures.set(pages[at]?.page_id ?? '', outcome.reason);
    });
    if (performance.now() - since < STORE_AFTER_MS) continue;
    storing ??= storeReady();
    since = performance.now();
  }
  await storing;
  await storeReady();
  return Promise.all(
    jobs.map(async (job): Promise<JobResult> => {
      const error = failures.get(job.data.pageId);
      if (error === undefined) return { id: job.id, status: 'completed' };
      await recordFailure(deps, job, byId.get(job.data.pageId), error);
      return { id: job.id, status: 'failed', output: { message: reasonOf(error) } };
    }),
  );
}

function warnOfUnread(logger: Logger, { page, unread }: PreparedPage): void {
  if (unread > 0)
    logger.warn('the end of a page is found by its words alone: its text makes too many chunks', {
      project_id: page.project_id,
      page_id: page.page_id,
      characters: unread,
    });
}

function chunkPages(pages: readonly ClaimedPage[]): ClaimedPage[][] {
  const all: ClaimedPage[][] = [];
  let characters = Infinity;
  for (const page of pages) {
    const last = all.at(-1);
    characters += page.content.length;
    if (last && last.length < MAX_PAGES && characters <= MAX_CHARACTERS) {
      last.push(page);
    } else {
      all.push([page]);
      characters = page.content.length;
    }
  }
  return all;
}

/** Stores pages in one transaction. If that fails, each in its own, so that the faulty page fails alone. */
async function storePages(
  deps: VectorizeDeps & { queueRest: QueueRest },
  projectId: string,
  pages: readonly PreparedPage[],
  failures: Map<string, unknown>,
): Promise<void> {
  const queueRest = (trx: Trx, pageIds: readonly string[]) => deps.queueRest(trx, projectId, pageIds);
  let stored: string[];
  try {
    stored = await storePreparedPages(deps.tenants.of(projectId), pages, queueRest);
  } catch (error) {
    const [only] = pages;
    if (pages.length === 1 && only) failures.set(only.page.page_id, error);
    else for (const page of pages) await storePages(deps, projectId, [page], failures);
    return;
  }
  deps.indexChanges.committed(projectId);
  deps.metrics.pagesIndexed.inc(stored.length);
  try {
    await deps.buildTrigger.pagesStored(projectId, stored.length);
    await deps.statistics.pagesStored(stored.length);
    await deps.paceLog.pagesStored(deps.tenants.of(projectId));
  } catch (error) {
    // The pages are stored. Maintenance queues a missed build; a missed analysis comes with more pages.
    deps.logger.warn('what follows on stored pages was left out', { project_id: projectId, error });
  }
}

async function recordFailure(deps: VectorizeDeps, job: VectorizeJob, page: ClaimedPage | undefined, error: unknown) {
  const final = job.retryCount >= job.retryLimit;
  deps.logger[final ? 'error' : 'warn']('a page could not be vectorized', {
    project_id: job.data.projectId,
    page_id: job.data.pageId,
    request_id: causeOf(job.data).request_id,
    attempt: job.retryCount + 1,
    final,
    error,
  });
  if (final) deps.metrics.pagesFailed.inc();
  await markFailed(deps.db, job.data, page?.content_version, final, reasonOf(error));
}

/** The reason that is stored with the page. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.slice(0, 500);
}

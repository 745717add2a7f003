import type { ModelRegistry } from '../embedding/model-registry.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { Tenants } from '../platform/database/session/tenants.js';
import type { Job } from '../platform/queue/job.js';
import type { JobQueue } from '../platform/queue/queue.js';
import type { IndexChanges } from '../projects/index-changes.js';
import { bumpIndexVersion } from '../projects/index-version.js';
import { readAnsweringModel } from '../projects/project-model.js';
import { dropVectors, findQuestionsWithoutVector, storeVector } from './store/clicked-questions.js';

export interface EmbedQuestionsDeps {
  tenants: Tenants;
  models: ModelRegistry;
  indexChanges: IndexChanges;
  queue: JobQueue;
}

/** So many questions are embedded in a turn: other projects, and what visitors search meanwhile, wait for no more. */
const MAX_TOGETHER = 50;

/**
 * Embeds the questions of a project that were asked and clicked again and again, and takes the vectors of those that
 * are not any longer. At most one such job of a project waits, however many clicks queue it.
 */
export const embedQuestions: Job<{ projectId: string }, EmbedQuestionsDeps> = {
  name: 'embed-questions',
  policy: 'short',
  key: ({ projectId }) => projectId,
  options: { retryLimit: 5, retryDelay: 5, retryBackoff: true, expireInSeconds: 600, deleteAfterSeconds: 600 },
  work: (deps) => ({
    handle: async (jobs) => {
      for (const { data, signal } of jobs)
        if (await embedSome(deps, data.projectId, signal)) await deps.queue.enqueueNow(embedQuestions, [data]);
    },
  }),
};

/** @returns whether there may be more to embed */
async function embedSome(deps: EmbedQuestionsDeps, projectId: string, signal: AbortSignal): Promise<boolean> {
  const { db } = deps.tenants.of(projectId);
  const modelId = await readAnsweringModel(db, projectId);
  // Nothing is indexed yet, or the project was deleted.
  if (modelId === null) return false;
  if ((await deps.models.find(modelId)) === undefined) throw new Error('the model of the project is not here now');
  const questions = await findQuestionsWithoutVector(db, projectId, modelId, MAX_TOGETHER);
  const embedded: Parameters<typeof storeVector>[3][] = [];
  for (const row of questions)
    embedded.push({ ...row, vector: await deps.models.embedQuery(modelId, row.question, { signal }) });
  const isChanged = await inTransaction(db, async (trx) => {
    // The change to another model has queued a job of its own.
    if ((await readAnsweringModel(trx, projectId)) !== modelId) return false;
    for (const row of embedded) await storeVector(trx, projectId, modelId, row);
    const dropped = await dropVectors(trx, projectId);
    if (embedded.length + dropped > 0) await bumpIndexVersion(trx, projectId);
    return embedded.length + dropped > 0;
  });
  if (isChanged) deps.indexChanges.committed(projectId);
  return isChanged && questions.length === MAX_TOGETHER;
}

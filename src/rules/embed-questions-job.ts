import type { ModelRegistry } from '../embedding/model-registry.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { Tenants } from '../platform/database/session/tenants.js';
import type { Job } from '../platform/queue/job.js';
import type { IndexChanges } from '../projects/index-changes.js';
import { bumpIndexVersion } from '../projects/index-version.js';
import { readAnsweringModel } from '../projects/project-model.js';
import { dropVectors, findQuestionsWithoutVector, storeVector } from './store/clicked-questions.js';

export interface EmbedQuestionsDeps {
  tenants: Tenants;
  models: ModelRegistry;
  indexChanges: IndexChanges;
}

/** So many questions are embedded before what they change is seen. */
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
      for (const { data, signal } of jobs) await embedAll(deps, data.projectId, signal);
    },
  }),
};

async function embedAll(deps: EmbedQuestionsDeps, projectId: string, signal: AbortSignal): Promise<void> {
  const { db } = deps.tenants.of(projectId);
  const modelId = await readAnsweringModel(db, projectId);
  // Nothing is indexed, or searches have no vectors either: the model is not here.
  if (modelId === null || (await deps.models.find(modelId)) === undefined) return;
  for (let changed = true; changed && !signal.aborted;) {
    const questions = await findQuestionsWithoutVector(db, projectId, modelId, MAX_TOGETHER);
    const embedded: Parameters<typeof storeVector>[3][] = [];
    for (const row of questions)
      embedded.push({ ...row, vector: await deps.models.embedQuery(modelId, row.question, { signal }) });
    changed = await inTransaction(db, async (trx) => {
      for (const row of embedded) await storeVector(trx, projectId, modelId, row);
      const dropped = await dropVectors(trx, projectId);
      if (embedded.length + dropped > 0) await bumpIndexVersion(trx, projectId);
      return embedded.length + dropped > 0;
    });
    if (changed) deps.indexChanges.committed(projectId);
  }
}

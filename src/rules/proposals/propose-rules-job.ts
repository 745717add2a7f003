import { findProjectsWithMoves } from '../store/rule-proposals.js';
import { OperatorError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { ofProjects, type Job } from '../../platform/queue/job.js';
import type { JobQueue } from '../../platform/queue/queue.js';
import { proposeRules } from './propose-rules.js';
import type { RuleDeps } from '../rule.js';

export interface ProposeRulesDeps extends RuleDeps {
  queue: JobQueue;
  logger: Logger;
}

/** Proposes rules for a project; without one, which is each night, queues that for every project with redirects. */
export const proposeRulesJob: Job<{ projectId?: string }, ProposeRulesDeps> = {
  name: 'propose-rules',
  policy: 'short',
  key: ({ projectId }) => projectId ?? 'all',
  options: {
    notify: true,
    retryLimit: 2,
    retryDelay: 60,
    expireInSeconds: 900,
    heartbeatSeconds: 60,
    deleteAfterSeconds: 3_600,
  },
  work: (deps) => ({
    pollingSeconds: 5,
    batchSize: 10,
    burstWhenBatchFull: true,
    handle: async (jobs) => {
      for (const { data } of jobs) {
        const { projectId } = data;
        if (projectId === undefined)
          await deps.queue.enqueueNow(proposeRulesJob, ofProjects(await findProjectsWithMoves(deps.db)));
        else await propose(deps, projectId);
      }
    },
  }),
};

async function propose(deps: ProposeRulesDeps, projectId: string): Promise<void> {
  try {
    await proposeRules(deps, projectId);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    deps.logger.warn('no rules were proposed', { project_id: projectId, reason: error.message });
  }
}

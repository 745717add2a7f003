import type { JobResult, JobWithMetadata } from 'pg-boss';
import { isWorkerAway } from '../../platform/database/session/database-errors.js';
import { byProject } from '../../platform/queue/job.js';
import type { VectorizePage } from './vectorize-job.js';

type PageJob = JobWithMetadata<VectorizePage>;
type Work = (jobs: readonly PageJob[]) => Promise<JobResult[]>;

/**
 * Works through a batch that may fail for a reason that is not its pages': what fails so is put off, and is not left to
 * the hourly search for pages that nobody has a job for.
 *
 * If a project's rows are on a worker of Citus that cannot be reached, all is done again project by project, so that
 * others' pages do not wait for it.
 * @param putOff queues jobs anew, for later.
 */
export async function withFailures(
  jobs: readonly PageJob[],
  work: Work,
  putOff: (jobs: readonly PageJob[]) => Promise<void>,
): Promise<JobResult[]> {
  try {
    return await work(jobs);
  } catch (error) {
    if (!isWorkerAway(error)) {
      // It has tries left, else.
      await putOff(jobs.filter(({ retryCount, retryLimit }) => retryCount >= retryLimit)).catch(() => undefined);
      throw error;
    }
  }
  const results: JobResult[] = [];
  for (const some of byProject(jobs)) {
    const done = await work(some).catch(async (error: unknown): Promise<JobResult[]> => {
      if (!isWorkerAway(error)) throw error;
      await putOff(some);
      return some.map(({ id }) => ({ id, status: 'completed' }));
    });
    results.push(...done);
  }
  return results;
}

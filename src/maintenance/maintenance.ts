import { keepAllOwnIndexes, type BuildIndexesDeps } from '../large-projects/build-indexes.js';
import type { Job } from '../queue/job.js';
import { runMaintenance, type MaintenanceDeps as RunMaintenanceDeps } from './run-maintenance.js';

export type MaintenanceDeps = RunMaintenanceDeps & BuildIndexesDeps;

/** Partitions ahead, retention, stalled pages, idle buckets, indexes of large projects. */
export const maintenance: Job<Record<string, never>, MaintenanceDeps> = {
  name: 'maintenance',
  policy: 'short',
  options: { retryLimit: 2, expireInSeconds: 600, deleteAfterSeconds: 3_600 },
  work: (deps) => ({
    pollingSeconds: 5,
    handle: async () => {
      await runMaintenance(deps);
      await keepAllOwnIndexes(deps);
    },
  }),
};

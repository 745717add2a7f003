import type { JobWithMetadata, QueueOptions, QueuePolicy, WorkOptions } from 'pg-boss';

/**
 * One job, whole: its queue in pg-boss, its payload, and how a worker does it. A payload says what is stale, never what
 * to write: the handler reads the row again, so that a late job cannot bring old content back. It stands in the file of
 * its feature; src/jobs.ts lists all.
 */
export interface Job<Payload extends object, Deps = never> {
  name: string;
  policy: QueuePolicy;
  options: QueueOptions & { notify?: boolean };
  /** Jobs of one key are the same work: under the policy `short`, one of them waits at most. */
  key?: (payload: Payload) => string;
  /**
   * Whose turn a job takes, and how many seconds of a worker of one's own it is worth (turns.ts). Else: first come,
   * first served.
   */
  fairShare?: { by: (payload: Payload) => string; seconds: number };
  /** Identifies the job, where a caller must be able to repeat itself without doubling. */
  id?: (payload: Payload) => string;
  /** Called once, when a process begins to work. */
  work: (deps: Deps) => Worker<Payload>;
}

/** Payloads of jobs that are about a project as a whole. */
export function ofProjects(projectIds: Iterable<string>): { projectId: string }[] {
  return Array.from(projectIds, (projectId) => ({ projectId }));
}

export interface Worker<Payload extends object> extends Pick<
  WorkOptions,
  'batchSize' | 'localConcurrency' | 'burstWhenBatchFull' | 'perJobResults'
> {
  /** How often the queue is looked at, whatever notifications say. Default: queue.ts. */
  pollingSeconds?: number;
  /** With `perJobResults` it resolves with a JobResult of each; else it rejects when any failed. */
  handle: (jobs: JobWithMetadata<Payload>[]) => Promise<unknown>;
}

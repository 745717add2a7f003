import type { JobWithMetadata, QueueOptions, QueuePolicy, WorkOptions } from 'pg-boss';
import type { Urgency } from './fair-priorities.js';
import { groupBy } from '../../base/group-by.js';

/**
 * A job: its queue in pg-boss, its payload and its handler. It stands in the file of its feature; src/app/jobs.ts lists
 * all. A payload says what is stale, never what to write: the handler reads the row, so that a late job cannot bring
 * old content back.
 */
export interface Job<Payload extends object, Deps = never> {
  name: string;
  policy: QueuePolicy;
  options: QueueOptions & { notify?: boolean };
  /** Jobs with the same key are the same work: under the policy `short`, max one of them waits. */
  key?: (payload: Payload) => string;
  /**
   * Who shares the worker fairly with the others, and how many seconds a job takes (fair-priorities.ts). Absent: first
   * come, first served.
   */
  fairShare?: { by: (payload: Payload) => string; seconds: number; urgency?: Urgency };
  /** Whose job it is, where a worker may have only so many of each (`localGroupConcurrency`). */
  group?: (payload: Payload) => string;
  /**
   * What the job gathers, where that came from several requests: each part has a cause of its own (observed-work.ts).
   */
  parts?: (payload: Payload) => readonly object[];
  /** How long a job waits before its first try. */
  delaySeconds?: (payload: Payload) => number;
  /** The job's id, where a caller may queue the same job twice. */
  id?: (payload: Payload) => string;
  /** Called once, when a process starts its workers. */
  work: (deps: Deps) => Worker<Payload>;
}

/** Payloads of jobs that concern a whole project. */
export function ofProjects(projectIds: Iterable<string>): { projectId: string }[] {
  return Array.from(projectIds, (projectId) => ({ projectId }));
}

/** The jobs of each project. */
export function byProject<One extends { data: { projectId: string } }>(jobs: readonly One[]): One[][] {
  return [...groupBy(jobs, ({ data }) => data.projectId).values()];
}

export interface Worker<Payload extends object> extends Pick<
  WorkOptions,
  'batchSize' | 'localConcurrency' | 'localGroupConcurrency' | 'burstWhenBatchFull' | 'perJobResults'
> {
  /** How often the queue is polled beside notifications. Default: queue.ts. */
  pollingSeconds?: number;
  /** With `perJobResults`: resolves with a JobResult per job. Else: rejects when any job failed. */
  handle: (jobs: JobWithMetadata<Payload>[]) => Promise<unknown>;
}

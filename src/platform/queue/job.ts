import type { JobWithMetadata, QueueOptions, QueuePolicy, WorkOptions } from 'pg-boss';
import type { Urgency } from './fair-priorities.js';
import { groupBy } from '../../base/group-by.js';
import { currentScope } from '../telemetry/tracing.js';

/**
 * A job: its queue in pg-boss, its payload and its handler. It is in its feature's file; src/app/jobs.ts lists all. A
 * payload names what is stale, never what to write: the handler reads the row, so old content never comes back.
 */
export interface Job<Payload extends object, Deps = never> {
  name: string;
  policy: QueuePolicy;
  options: QueueOptions & { notify?: boolean };
  /** Jobs with the same key are the same work: under the policy `short`, at most one of them waits. */
  key?: (payload: Payload) => string;
  /**
   * The line in which a job shares the worker fairly with others (`by`), and the seconds that a job takes
   * (fair-priorities.ts). Absent: first come, first served.
   */
  fairShare?: { by: (payload: Payload) => string; seconds: number; urgency?: Urgency };
  /** The owner of a job, where a worker runs only a number of jobs of each owner (`localGroupConcurrency`). */
  group?: (payload: Payload) => string;
  /** The parts of the job, where they came from several requests: each has its own {@link Cause}. */
  parts?: (payload: Payload) => readonly object[];
  /** The seconds that a job waits before its first try. */
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

/** Groups jobs by project. */
export function byProject<One extends { data: { projectId: string } }>(jobs: readonly One[]): One[][] {
  return [...groupBy(jobs, ({ data }) => data.projectId).values()];
}

export interface Worker<Payload extends object> extends Pick<
  WorkOptions,
  'batchSize' | 'localConcurrency' | 'localGroupConcurrency' | 'burstWhenBatchFull' | 'perJobResults'
> {
  /** The seconds between two polls of the queue, in addition to notifications. Default: queue.ts. */
  pollingSeconds?: number;
  /** Does some jobs. With `perJobResults` it resolves with a JobResult per job; else it rejects when any failed. */
  handle: (jobs: JobWithMetadata<Payload>[]) => Promise<unknown>;
}

/** The request that a job comes from, the first where a job stands for several. It is kept with the payload. */
export interface Cause {
  request_id?: string | undefined;
  traceparent?: string | undefined;
}

/** Returns the payload as it is queued: with its cause, where there is one. A cause that it has already stays. */
export function withCause<Payload extends object>(payload: Payload): Payload {
  const { requestId, span } = currentScope() ?? {};
  if ('cause' in payload || (requestId === undefined && !span)) return payload;
  const cause: Cause = { request_id: requestId, traceparent: span?.traceparent };
  return { ...payload, cause };
}

export function causeOf(payload: object): Cause {
  const { cause } = payload as { cause?: Cause };
  return typeof cause === 'object' ? cause : {};
}

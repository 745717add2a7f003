import type { JobWithMetadata, JobResult } from 'pg-boss';
import { sqlState } from '../database/session/database-errors.js';
import type { Logger } from '../../base/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { inScope, type Span, type Tracer } from '../telemetry/tracing.js';
import { causeOf, type Cause, type Job } from './job.js';

type Handle<Payload> = (jobs: JobWithMetadata<Payload>[]) => Promise<unknown>;

/**
 * The jobs that run in this process. pg-boss aborts their signals only when its time to stop is over, and closes its
 * connections in the same moment: it then cannot store how they ended ("Database connection is not opened"). Here they
 * are aborted at once. Jobs that take minutes heed their signal, and their next attempt goes on; others finish.
 */
export class RunningJobs {
  private readonly running = new Set<AbortController>();
  private stopped = false;

  /** Wraps a handler so that the signals of its jobs abort at {@link stop}, too. */
  of<Payload>(handle: Handle<Payload>): Handle<Payload> {
    return async (jobs) => {
      // Each batch has its own controller: a signal that lives on would keep all signals that were made of it.
      const stopping = new AbortController();
      if (this.stopped) stopping.abort();
      this.running.add(stopping);
      for (const job of jobs) job.signal = AbortSignal.any([job.signal, stopping.signal]);
      try {
        return await handle(jobs);
      } finally {
        this.running.delete(stopping);
      }
    };
  }

  stop(): void {
    this.stopped = true;
    for (const controller of this.running) controller.abort();
  }
}

export interface JobObserver {
  logger: Logger;
  metrics?: Pick<Metrics, 'jobs' | 'jobSeconds' | 'jobWaitSeconds'>;
  tracer?: Tracer | undefined;
}

/** Wraps a worker's handler: a batch has a scope and is measured; jobs of requests are logged and traced. */
export function observeHandler<Payload extends object>(
  { name, parts = (payload) => [payload] }: Pick<Job<Payload>, 'name' | 'parts'>,
  handle: Handle<Payload>,
  { logger, metrics, tracer }: JobObserver,
): Handle<Payload> {
  const causesOf = ({ data }: { data: Payload }): Cause[] => parts(data).map(causeOf);
  return async (jobs) => {
    // A job that the schedule queues has no payload.
    for (const job of jobs as { data: Payload | null }[]) job.data ??= {} as Payload;
    const startedAt = performance.now();
    const causes = new Map(jobs.flatMap(causesOf).map((cause) => [cause.request_id, cause.traceparent]));
    const requestIds = [...causes.keys()].filter((id) => id !== undefined);
    const requestId = causes.size === 1 ? requestIds[0] : undefined;
    const traces = tracer && beginTraces(tracer, name, [...new Set(causes.values())]);
    for (const job of jobs) metrics?.jobWaitSeconds.observe({ kind: name }, waitedSeconds(job));
    const report = (results: unknown, error?: unknown): void => {
      const failed = error === undefined ? failedIds(results) : new Set(jobs.map(({ id }) => id));
      const seconds = (performance.now() - startedAt) / 1_000;
      metrics?.jobSeconds.observe({ kind: name }, seconds);
      metrics?.jobs.inc({ kind: name, outcome: 'done' }, jobs.length - failed.size);
      metrics?.jobs.inc({ kind: name, outcome: 'failed' }, failed.size);
      for (const span of traces?.all ?? [])
        span.end({ 'messaging.destination.name': name, 'messaging.batch.message_count': jobs.length }, failed.size > 0);
      const took = { job: name, took_ms: Math.round(seconds * 1e5) / 100 };
      // The log leaves out the message of the error, which may quote a page or an event.
      const reason = error instanceof Error ? error.name : undefined;
      const about = { jobs: jobs.length, request_ids: requestIds, sqlstate: sqlState(error), reason };
      if (error !== undefined) logger.warn('jobs failed and are tried again', { ...took, ...about });
      else
        for (const [id, counts] of countByRequest(jobs, causesOf, failed))
          logger.info('job', { ...took, request_id: id, ...counts });
    };
    try {
      const results = await inScope({ operation: name, requestId, span: traces?.main }, () => handle(jobs));
      report(results);
      return results;
    } catch (error) {
      report(undefined, error);
      throw error;
    }
  };
}

/**
 * Begins the spans of a batch. A batch of one request has one span, in the trace of that request. A batch of several
 * requests has one span with all statements, and one more in the trace of each request, linked with the first.
 */
function beginTraces(tracer: Tracer, name: string, traceparents: readonly (string | undefined)[]) {
  const begin = (traceparent?: string, links: readonly (string | undefined)[] = []): Span =>
    tracer.begin(`process ${name}`, 'consumer', traceparent, { links });
  if (traceparents.length <= 1) {
    const main = begin(traceparents[0]);
    return { main, all: [main] };
  }
  const main = begin(undefined, traceparents);
  const ofCauses = traceparents.flatMap((traceparent) =>
    traceparent === undefined ? [] : [begin(traceparent, [main.traceparent])],
  );
  return { main, all: [main, ...ofCauses] };
}

/** Returns the seconds between the time when a job was due and its start. */
function waitedSeconds({ createdOn, startAfter, startedOn }: JobWithMetadata): number {
  const due = Math.max(createdOn.getTime(), startAfter.getTime());
  return Math.max(0, startedOn.getTime() - due) / 1_000;
}

function failedIds(results: unknown): Set<string> {
  const list = Array.isArray(results) ? (results as Partial<JobResult>[]) : [];
  return new Set(list.flatMap(({ id, status }) => (id !== undefined && status === 'failed' ? [id] : [])));
}

/** Counts the jobs of each request, and its failed jobs if there are any. */
function countByRequest<Payload>(
  jobs: readonly JobWithMetadata<Payload>[],
  causesOf: (job: { data: Payload }) => Cause[],
  failed: Set<string>,
): Map<string, { jobs: number; failed?: number }> {
  const counts = new Map<string, { jobs: number; failed?: number }>();
  for (const job of jobs)
    for (const id of new Set(causesOf(job).map((cause) => cause.request_id))) {
      if (id === undefined) continue;
      const count = counts.get(id) ?? { jobs: 0 };
      count.jobs++;
      if (failed.has(job.id)) count.failed = (count.failed ?? 0) + 1;
      counts.set(id, count);
    }
  return counts;
}

import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { registerGauges, type MetricSources } from './gauges.js';

/** After this long without a request, a project's label may go to another. */
const IDLE_MS = 3_600_000;

/**
 * Makes a function that returns the label of a project: its id, or `other`. Metrics name the first projects in use, up
 * to a bound. When all labels are taken, a new project gets the label of a project that was idle for an hour; otherwise
 * it counts among the others, so that no project's counter ever goes back.
 * @param forget removes the figures of a project.
 */
function labelProjects(max: number, forget: (projectId: string) => void): (projectId: string) => string {
  /** The time when each project was last seen, in monotonic milliseconds; the longest idle first. */
  const seen = new Map<string, number>();
  const makeRoom = (now: number): boolean => {
    const [longestIdle] = seen;
    if (!longestIdle || now - longestIdle[1] < IDLE_MS) return false;
    forget(longestIdle[0]);
    return seen.delete(longestIdle[0]);
  };
  return (projectId) => {
    const now = performance.now();
    if (!seen.delete(projectId) && seen.size >= max && !makeRoom(now)) return 'other';
    seen.set(projectId, now);
    return projectId;
  };
}

/** The buckets of durations in seconds: from a cached answer to a caller that has given up. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const OUTCOMES = ['ok', 'refused', 'wrong', 'failed'] as const;

/** Metrics of /metrics. Labels are our own names, never text of a visitor or a customer. */
export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(sources: MetricSources & { maxProjects: number }) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  registerGauges(registry, sources);
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  const projectRequests = counter(
    'pathmend_project_requests_total',
    'Requests by project (up to METRICS_PROJECTS, others together) and outcome: ok, refused (429, 503), wrong (other 4xx), failed (other 5xx).',
    'project',
    'outcome',
  );
  const labelOf = labelProjects(sources.maxProjects, (project) => {
    for (const outcome of OUTCOMES) projectRequests.remove({ project, outcome });
  });
  return {
    registry,
    /** Does nothing where METRICS_PROJECTS is 0. */
    countProjectRequest: (projectId: string, status: number): void => {
      if (sources.maxProjects > 0) projectRequests.inc({ project: labelOf(projectId), outcome: outcomeOf(status) });
    },
    requests: counter(
      'pathmend_http_requests_total',
      'Requests by route, method and status.',
      'route',
      'method',
      'status',
    ),
    requestSeconds: histogram(
      'pathmend_http_request_seconds',
      'Duration from first request byte to last response byte.',
      SECONDS,
      'route',
    ),
    searchSeconds: histogram(
      'pathmend_search_seconds',
      'Search duration by kind and source: cache, shared or index.',
      SECONDS,
      'kind',
      'by',
    ),
    jobs: counter('pathmend_jobs_total', 'Job attempts by kind and outcome: done or failed.', 'kind', 'outcome'),
    jobSeconds: histogram(
      'pathmend_job_seconds',
      'Duration of a batch of jobs.',
      [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      'kind',
    ),
    jobWaitSeconds: histogram(
      'pathmend_job_wait_seconds',
      'Delay between due time and start of a job.',
      [0.1, 0.5, 1, 2.5, 5, 15, 60, 300, 900, 3_600, 21_600],
      'kind',
    ),
    searches: counter(
      'pathmend_searches_total',
      'Searches by kind and source: cache, index, shared (one index search for several requests), or nothing above the threshold.',
      'kind',
      'answer',
    ),
    replicaSearches: counter(
      'pathmend_replica_searches_total',
      'Index searches: the replica was used, or the primary because it was behind, away or failed.',
      'use',
    ),
    pagesIndexed: counter('pathmend_pages_indexed_total', 'Pages vectorized and indexed.'),
    pagesFailed: counter('pathmend_pages_failed_total', 'Pages that ended in ERROR.'),
    pagesChangedModel: counter(
      'pathmend_model_change_pages_total',
      'Pages embedded with the new model during a model change.',
    ),
    eventsRefused: counter('pathmend_events_refused_total', 'Acknowledged events that the database rejected.'),
    historyNotKept: counter(
      'pathmend_history_not_kept_total',
      'Searches and events above HISTORY_MB_PER_DAY: counted, not stored.',
      'kind',
    ),
  };
}

function outcomeOf(status: number): (typeof OUTCOMES)[number] {
  if (status === 429 || status === 503) return 'refused';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'wrong' : 'ok';
}

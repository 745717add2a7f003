import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { registerGauges, type MetricSources } from './gauges.js';

/** After this long without a request, a project's label may go to another. */
const IDLE_MS = 3_600_000;

/**
 * The projects that metrics name: the first in use, up to a bound. When all labels are taken, a newcomer gets that of a
 * project which was idle for an hour; else it counts among the others, so that no project's counter ever goes back.
 */
class LabelledProjects {
  /** When each was last seen, in monotonic milliseconds; the longest idle first. */
  readonly #seen = new Map<string, number>();
  readonly #max: number;
  readonly #forget: (projectId: string) => void;

  /** @param forget removes what metrics have of a project. */
  constructor(max: number, forget: (projectId: string) => void) {
    this.#max = max;
    this.#forget = forget;
  }

  /** The project's id, or `other`. */
  labelOf(projectId: string, now = performance.now()): string {
    if (!this.#seen.delete(projectId) && this.#seen.size >= this.#max && !this.#makeRoom(now)) return 'other';
    this.#seen.set(projectId, now);
    return projectId;
  }

  #makeRoom(now: number): boolean {
    for (const [projectId, at] of this.#seen) {
      if (now - at < IDLE_MS) return false;
      this.#seen.delete(projectId);
      this.#forget(projectId);
      return true;
    }
    return false;
  }
}

/** From a cached answer to a caller who has given up. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const OUTCOMES = ['ok', 'refused', 'wrong', 'failed'] as const;

/** Metrics of /metrics. Labels are our own names, never text of a visitor or a customer. */
export interface Metrics {
  registry: Registry;
  requests: Counter<'route' | 'method' | 'status'>;
  requestSeconds: Histogram<'route'>;
  searches: Counter<'kind' | 'answer'>;
  searchSeconds: Histogram<'kind' | 'by'>;
  jobs: Counter<'kind' | 'outcome'>;
  jobSeconds: Histogram<'kind'>;
  jobWaitSeconds: Histogram<'kind'>;
  /** Does nothing where METRICS_PROJECTS is 0. */
  countProjectRequest: (projectId: string, status: number) => void;
  replicaSearches: Counter<'use'>;
  pagesIndexed: Counter;
  pagesFailed: Counter;
  pagesChangedModel: Counter;
  eventsRefused: Counter;
  historyNotKept: Counter<'kind'>;
}

export function createMetrics(sources: MetricSources & { maxProjects: number }): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  registerGauges(registry, sources);
  const projectRequests = new Counter({
    name: 'pathmend_project_requests_total',
    help: 'Requests of up to METRICS_PROJECTS projects, and of the others together, by outcome: ok, refused (429, 503), wrong (another 4xx), failed (another 5xx).',
    labelNames: ['project', 'outcome'],
    registers,
  });
  const labelled = new LabelledProjects(sources.maxProjects, (project) => {
    for (const outcome of OUTCOMES) projectRequests.remove({ project, outcome });
  });
  return {
    registry,
    countProjectRequest: (projectId, status) => {
      if (sources.maxProjects > 0)
        projectRequests.inc({ project: labelled.labelOf(projectId), outcome: outcomeOf(status) });
    },
    requests: new Counter({
      name: 'pathmend_http_requests_total',
      help: 'Requests by route, method and status.',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'pathmend_http_request_seconds',
      help: 'Time from the first byte of a request to the end of its answer.',
      labelNames: ['route'],
      buckets: SECONDS,
      registers,
    }),
    searchSeconds: new Histogram({
      name: 'pathmend_search_seconds',
      help: 'Time of a search, by kind and by what answered: cache, shared or index. The cache hit rate is made of its counts.',
      labelNames: ['kind', 'by'],
      buckets: SECONDS,
      registers,
    }),
    jobs: new Counter({
      name: 'pathmend_jobs_total',
      help: 'Tries of jobs by kind and outcome: done, or failed.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    jobSeconds: new Histogram({
      name: 'pathmend_job_seconds',
      help: 'Time of a batch of jobs.',
      labelNames: ['kind'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers,
    }),
    jobWaitSeconds: new Histogram({
      name: 'pathmend_job_wait_seconds',
      help: 'Time from when a job was due until a worker took it.',
      labelNames: ['kind'],
      buckets: [0.1, 0.5, 1, 2.5, 5, 15, 60, 300, 900, 3_600, 21_600],
      registers,
    }),
    searches: new Counter({
      name: 'pathmend_searches_total',
      help: 'Searches by kind and by what answered: cache, index, shared (one search of the index for several at once), or nothing above the threshold.',
      labelNames: ['kind', 'answer'],
      registers,
    }),
    replicaSearches: new Counter({
      name: 'pathmend_replica_searches_total',
      help: 'Searches of the index where there is a replica: it was used, or the primary because it was behind, away, or failed.',
      labelNames: ['use'],
      registers,
    }),
    pagesIndexed: new Counter({
      name: 'pathmend_pages_indexed_total',
      help: 'Pages vectorized and indexed.',
      registers,
    }),
    pagesFailed: new Counter({ name: 'pathmend_pages_failed_total', help: 'Pages that ended in ERROR.', registers }),
    pagesChangedModel: new Counter({
      name: 'pathmend_model_change_pages_total',
      help: 'Pages that were embedded with another model while the old one answers their project.',
      registers,
    }),
    eventsRefused: new Counter({
      name: 'pathmend_events_refused_total',
      help: 'Acknowledged events that the database refuses to store, and that were set aside.',
      registers,
    }),
    historyNotKept: new Counter({
      name: 'pathmend_history_not_kept_total',
      help: 'Searches and events beyond what their project may keep of a day: counted, not stored.',
      labelNames: ['kind'],
      registers,
    }),
  };
}

function outcomeOf(status: number): (typeof OUTCOMES)[number] {
  if (status === 429 || status === 503) return 'refused';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'wrong' : 'ok';
}

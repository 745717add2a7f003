import { Counter, Gauge, type Registry } from 'prom-client';
import type { Bulkheads } from '../limits/bulkheads.js';
import type { InFlightBytes } from '../limits/in-flight-bytes.js';
import type { Reading } from './reading.js';

/** The queue and the pages of all projects, as the database counts them. */
export interface WorkFacts {
  queues: { kind: string; waiting: number; active: number; failed: number; oldest_seconds: number }[];
  pages: { status: string; pages: number; oldest_seconds: number | null }[];
  changingProjects: number;
}

export interface ReplicaLag {
  bytes: number;
  seconds: number;
}

/** Connections of a pool. */
export interface PoolStats {
  total: number;
  idle: number;
  waiting: number;
  max: number;
  /** The sessions that were checked out since the start, and the seconds that all callers together waited for them. */
  lent: number;
  waitedSeconds: number;
  /** Statements sent since the start, by operation. */
  roundTrips: ReadonlyMap<string, number>;
}

/** Figures that are read on each scrape. */
export interface MetricSources {
  build: { version: string; role: string };
  pool: () => PoolStats;
  embedder: () => { waiting: number; restarts: number; queries: number; passages: number };
  loadedModels: () => string[];
  cacheEntries: () => number;
  bulkheads: Bulkheads;
  bytes: InFlightBytes;
  /** Whether the database answers. */
  database: Reading<unknown>;
  /** The queue and the pages; set in a process with workers. */
  work?: Reading<WorkFacts> | undefined;
  /** The lag of the replica for searches; set where there is a replica. */
  replica?: Reading<ReplicaLag> | undefined;
  tracer?: { stats: () => { exported: number; lost: number } } | undefined;
}

/** The figure of a metric; with a label, one figure for each of its values. Undefined: nothing is known. */
type Figures = number | Record<string, number> | undefined;
type Add = (name: string, help: string, read: () => Figures | Promise<Figures>, label?: string) => void;

/** Registers the figures that are read on each scrape: gauges, and counters that other code counts. */
export function registerGauges(registry: Registry, sources: MetricSources): void {
  const registers = [registry];
  const add = (Kind: typeof Gauge | typeof Counter): Add => {
    return (name, help, read, label) => {
      new Kind({
        name,
        help,
        labelNames: label === undefined ? [] : [label],
        registers,
        async collect(this: Gauge | Counter) {
          const figures = await read();
          this.reset();
          if (typeof figures === 'number') this.inc(figures);
          else if (label !== undefined)
            for (const [value, figure] of Object.entries(figures ?? {})) this.inc({ [label]: value }, figure);
          // A metric without labels begins with 0, also when its figure is not known; so it is removed.
          else this.remove();
        },
      });
    };
  };
  const gauge = add(Gauge);
  const counter = add(Counter);
  const { build, pool, embedder, bulkheads, bytes, database, work, replica, tracer } = sources;

  const labels = { version: build.version, node: process.versions.node, role: build.role };
  const labelNames = Object.keys(labels);
  new Gauge({ name: 'pathmend_build_info', help: 'Always 1.', labelNames, registers }).set(labels, 1);

  gauge('pathmend_database_up', '1 if the database responds, else 0.', async () => ((await database.latest()) ? 1 : 0));
  gauge('pathmend_database_connections', 'Open database connections.', () => pool().total);
  gauge('pathmend_database_connections_idle', 'Idle database connections.', () => pool().idle);
  gauge('pathmend_database_connections_max', 'Maximum connections (DATABASE_POOL).', () => pool().max);
  gauge('pathmend_database_waiting', 'Callers waiting for a connection.', () => pool().waiting);
  counter('pathmend_database_checkouts_total', 'Connections checked out.', () => pool().lent);
  counter(
    'pathmend_database_wait_seconds_total',
    'Total time spent waiting for a connection.',
    () => pool().waitedSeconds,
  );
  counter(
    'pathmend_database_round_trips_total',
    'Statements by operation: route, job kind, admission or other. Without job queue and replica.',
    () => Object.fromEntries(pool().roundTrips),
    'operation',
  );

  gauge(
    'pathmend_models_loaded',
    '1 for each loaded model.',
    () => Object.fromEntries(sources.loadedModels().map((model) => [model, 1])),
    'model',
  );
  gauge('pathmend_embedding_waiting', 'Texts waiting for the model.', () => embedder().waiting);
  counter('pathmend_embedding_restarts_total', 'Restarts of the inference thread.', () => embedder().restarts);
  counter('pathmend_embedding_queries_total', 'Queries embedded.', () => embedder().queries);
  counter('pathmend_embedding_passages_total', 'Chunks embedded.', () => embedder().passages);
  gauge('pathmend_search_cache_entries', 'Answers in the search cache.', () => sources.cacheEntries());

  const byKind = (figure: 'running' | 'waiting' | 'refused'): Record<string, number> => {
    const kinds = Object.entries<Pick<Bulkheads['searches'], 'stats'>>({ ...bulkheads });
    return Object.fromEntries(kinds.map(([kind, bulkhead]) => [kind, bulkhead.stats()[figure]]));
  };
  gauge('pathmend_bytes_in_hand', 'Bytes of request bodies and large responses in flight.', () => bytes.stats().held);
  gauge(
    'pathmend_work_running',
    'Searches, writes, events and key look-ups in flight.',
    () => {
      const running = byKind('running');
      delete running['beginnings'];
      return running;
    },
    'kind',
  );
  gauge(
    'pathmend_work_waiting',
    'Waiting requests, searches, writes, events and key look-ups.',
    () => byKind('waiting'),
    'kind',
  );
  counter(
    'pathmend_overload_refusals_total',
    'Requests refused, by limit.',
    () => ({ ...byKind('refused'), bytes: bytes.stats().refused }),
    'kind',
  );

  if (work) registerWork(gauge, work);
  if (replica) {
    const lag = (key: keyof ReplicaLag) => async () => (await replica.latest())?.[key];
    gauge('pathmend_replica_lag_bytes', 'WAL that the replica has not replayed.', lag('bytes'));
    gauge('pathmend_replica_lag_seconds', 'Age of the last replayed change; 0: up to date.', lag('seconds'));
  }
  if (tracer) counter('pathmend_spans_total', 'Spans exported or lost.', () => ({ ...tracer.stats() }), 'outcome');
}

function registerWork(gauge: Add, work: Reading<WorkFacts>): void {
  const queues = (key: 'waiting' | 'active' | 'failed' | 'oldest_seconds') => async () =>
    Object.fromEntries(((await work.latest())?.queues ?? []).map((queue) => [queue.kind, queue[key]]));
  gauge('pathmend_queue_waiting', 'Jobs due but not started, counted every ten seconds.', queues('waiting'), 'kind');
  gauge('pathmend_queue_active', 'Jobs running.', queues('active'), 'kind');
  gauge('pathmend_queue_failed', 'Jobs that failed for good, kept for a while.', queues('failed'), 'kind');
  gauge(
    'pathmend_queue_oldest_seconds',
    'Age of the oldest of the next 10,000 due jobs; 0: no job is due.',
    queues('oldest_seconds'),
    'kind',
  );
  gauge(
    'pathmend_model_changes',
    'Projects that change their model.',
    async () => (await work.latest())?.changingProjects,
  );
  const pages = (key: 'pages' | 'oldest_seconds') => async () =>
    Object.fromEntries(
      ((await work.latest())?.pages ?? []).flatMap((row) => (row[key] === null ? [] : [[row.status, row[key]]])),
    );
  gauge('pathmend_pages', 'Pages by status: counted up to 10,000, then estimated.', pages('pages'), 'status');
  gauge(
    'pathmend_pages_oldest_seconds',
    'Age of the oldest page that waits or is being indexed.',
    pages('oldest_seconds'),
    'status',
  );
}

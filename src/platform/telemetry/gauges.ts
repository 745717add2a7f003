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
  /** Sessions lent since the start, and how long all callers together waited for them. */
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
  /** Their names. */
  loadedModels: () => string[];
  cacheEntries: () => number;
  bulkheads: Bulkheads;
  bytes: InFlightBytes;
  /** Whether the database answers. */
  database: Reading<unknown>;
  /** In a process with workers. */
  work?: Reading<WorkFacts> | undefined;
  /** Where there is a replica for searches. */
  replica?: Reading<ReplicaLag> | undefined;
  tracer?: { stats: () => { exported: number; lost: number } } | undefined;
}

type Sample = [labels: Record<string, string>, value: number];

/** Registers what is read on each scrape: gauges, and counters that somebody else counts. */
export function registerGauges(registry: Registry, sources: MetricSources): void {
  const registers = [registry];
  function add(Kind: typeof Gauge | typeof Counter) {
    return (name: string, help: string, labelNames: string[], read: () => Sample[] | Promise<Sample[]>): void => {
      new Kind({
        name,
        help,
        labelNames,
        registers,
        async collect(this: Gauge | Counter) {
          const samples = await read();
          this.reset();
          for (const [labels, value] of samples) this.inc(labels, value);
          // A metric without labels begins with 0, also when it has nothing to say.
          if (samples.length === 0 && labelNames.length === 0) this.remove();
        },
      });
    };
  }
  const gauge = add(Gauge);
  const counter = add(Counter);
  const one = (value: number): Sample[] => [[{}, value]];
  const { build, pool, embedder, bulkheads, bytes, database, work, replica, tracer } = sources;

  gauge('pathmend_build_info', '1, labelled with what runs.', ['version', 'node', 'role'], () => [
    [{ version: build.version, node: process.versions.node, role: build.role }, 1],
  ]);

  gauge('pathmend_database_up', 'Whether the database answers this process: 1, or 0.', [], async () =>
    one((await database.latest()) ? 1 : 0),
  );
  gauge('pathmend_database_connections', 'Open database connections.', [], () => one(pool().total));
  gauge('pathmend_database_connections_idle', 'Idle database connections.', [], () => one(pool().idle));
  gauge('pathmend_database_connections_max', 'DATABASE_POOL: max database connections.', [], () => one(pool().max));
  gauge('pathmend_database_waiting', 'Callers waiting for a connection.', [], () => one(pool().waiting));
  counter('pathmend_database_checkouts_total', 'Times that a connection was lent.', [], () => one(pool().lent));
  counter('pathmend_database_wait_seconds_total', 'Time that callers together waited for a connection.', [], () =>
    one(pool().waitedSeconds),
  );
  counter(
    'pathmend_database_round_trips_total',
    'Statements sent and waited for, by what needed them: a route, a kind of job, admission, or other. Without those of the job queue itself and of the replica.',
    ['operation'],
    () => [...pool().roundTrips].map(([operation, count]): Sample => [{ operation }, count]),
  );

  gauge('pathmend_models_loaded', '1 for each model that this process has loaded.', ['model'], () =>
    sources.loadedModels().map((model): Sample => [{ model }, 1]),
  );
  gauge('pathmend_embedding_waiting', 'Texts waiting for the model.', [], () => one(embedder().waiting));
  counter('pathmend_embedding_restarts_total', 'Restarts of the inference thread.', [], () => one(embedder().restarts));
  counter('pathmend_embedding_queries_total', 'Queries embedded.', [], () => one(embedder().queries));
  counter('pathmend_embedding_passages_total', 'Passages embedded.', [], () => one(embedder().passages));
  gauge('pathmend_search_cache_entries', 'Answers in the search cache.', [], () => one(sources.cacheEntries()));

  const { beginnings, ...others } = bulkheads;
  const byKind = (kinds: Partial<Bulkheads>, figure: 'running' | 'waiting' | 'refused'): Sample[] =>
    Object.entries(kinds).map(([kind, bulkhead]) => [{ kind }, bulkhead.stats()[figure]]);
  gauge('pathmend_bytes_in_hand', 'Bytes of request bodies and large answers in flight.', [], () =>
    one(bytes.stats().held),
  );
  gauge('pathmend_work_running', 'Searches, writes, events and key look-ups in flight.', ['kind'], () =>
    byKind(others, 'running'),
  );
  gauge(
    'pathmend_work_waiting',
    'Waiting work: requests in the admission queue, and searches, writes, events and key look-ups.',
    ['kind'],
    () => byKind({ beginnings, ...others }, 'waiting'),
  );
  counter('pathmend_overload_refusals_total', 'Requests refused, by the bound that refused them.', ['kind'], () => [
    ...byKind({ beginnings, ...others }, 'refused'),
    [{ kind: 'bytes' }, bytes.stats().refused],
  ]);

  if (work) registerWork(gauge, work);
  if (replica) {
    const lag = async (key: keyof ReplicaLag): Promise<Sample[]> => {
      const found = await replica.latest();
      return found ? one(found[key]) : [];
    };
    gauge('pathmend_replica_lag_bytes', 'Log of the primary that the replica has not replayed.', [], () =>
      lag('bytes'),
    );
    gauge('pathmend_replica_lag_seconds', 'Age of the last change that the replica replayed; 0: it has all.', [], () =>
      lag('seconds'),
    );
  }
  if (tracer)
    counter('pathmend_spans_total', 'Spans exported, and lost.', ['outcome'], () => {
      const { exported, lost } = tracer.stats();
      return [
        [{ outcome: 'exported' }, exported],
        [{ outcome: 'lost' }, lost],
      ];
    });
}

function registerWork(
  gauge: (name: string, help: string, labelNames: string[], read: () => Promise<Sample[]>) => void,
  work: Reading<WorkFacts>,
): void {
  const queues = async (key: 'waiting' | 'active' | 'failed' | 'oldest_seconds'): Promise<Sample[]> =>
    ((await work.latest())?.queues ?? []).map((queue) => [{ kind: queue.kind }, queue[key]]);
  gauge(
    'pathmend_queue_waiting',
    'Jobs that are due and not begun, as the queue counts them every ten seconds.',
    ['kind'],
    () => queues('waiting'),
  );
  gauge('pathmend_queue_active', 'Jobs in work, counted likewise.', ['kind'], () => queues('active'));
  gauge(
    'pathmend_queue_failed',
    'Jobs given up after their last try, kept for a while; counted likewise.',
    ['kind'],
    () => queues('failed'),
  );
  gauge(
    'pathmend_queue_oldest_seconds',
    'How long the oldest of the next 10,000 jobs has been due; 0: none is.',
    ['kind'],
    () => queues('oldest_seconds'),
  );
  gauge('pathmend_model_changes', 'Projects whose pages are embedded with another model.', [], async () => {
    const found = await work.latest();
    return found ? [[{}, found.changingProjects]] : [];
  });
  gauge(
    'pathmend_pages',
    'Pages by status: counted up to 10,000, then as the statistics of PostgreSQL estimate.',
    ['status'],
    async () => ((await work.latest())?.pages ?? []).map(({ status, pages }) => [{ status }, pages]),
  );
  gauge(
    'pathmend_pages_oldest_seconds',
    'How long the oldest page has waited for its vectors, or has been in work.',
    ['status'],
    async () =>
      ((await work.latest())?.pages ?? []).flatMap(({ status, oldest_seconds }): Sample[] =>
        oldest_seconds === null ? [] : [[{ status }, oldest_seconds]],
      ),
  );
}

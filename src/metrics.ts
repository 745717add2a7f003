import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Bulkheads } from './load/bulkheads.js';
import type { InFlightBytes } from './load/in-flight-bytes.js';

/** Metrics of /metrics. Labels are our own names, never text of a visitor or a customer. */
export interface Metrics {
  registry: Registry;
  requests: Counter<'route' | 'method' | 'status'>;
  requestSeconds: Histogram<'route'>;
  searches: Counter<'kind' | 'answer'>;
  pagesIndexed: Counter;
  pagesFailed: Counter;
  eventsRefused: Counter;
  historyNotKept: Counter<'kind'>;
}

/** Figures that are read on each scrape. */
export interface MetricSources {
  poolConnections: () => { total: number; idle: number; waiting: number };
  embedder: () => { waiting: number; restarts: number; queries: number; passages: number };
  cacheEntries: () => number;
  bulkheads: Bulkheads;
  bytes: InFlightBytes;
  /** Waiting requests, and requests refused at the queue. */
  admissionQueue: () => { waiting: number; refused: number };
}

export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  };
  gauge('pathmend_database_connections', 'Open database connections.', () => sources.poolConnections().total);
  gauge('pathmend_database_connections_idle', 'Idle database connections.', () => sources.poolConnections().idle);
  gauge('pathmend_database_waiting', 'Callers waiting for a connection.', () => sources.poolConnections().waiting);
  gauge('pathmend_embedding_waiting', 'Texts waiting for the model.', () => sources.embedder().waiting);
  gauge('pathmend_embedding_restarts', 'Restarts of the inference thread.', () => sources.embedder().restarts);
  gauge('pathmend_embedding_queries', 'Queries embedded since the start.', () => sources.embedder().queries);
  gauge('pathmend_embedding_passages', 'Passages embedded since the start.', () => sources.embedder().passages);
  gauge('pathmend_search_cache_entries', 'Answers in the search cache.', sources.cacheEntries);
  gauge(
    'pathmend_bytes_in_hand',
    'Bytes of request bodies and large answers in flight.',
    () => sources.bytes.stats().held,
  );
  const { searches, writes, admissions } = sources.bulkheads;
  const byKind = (name: string, help: string, read: () => Record<string, number>): void => {
    const labelNames = ['kind'] as const;
    const collect = function (this: Gauge<'kind'>): void {
      for (const [kind, value] of Object.entries(read())) this.set({ kind }, value);
    };
    new Gauge({ name, help, labelNames, registers, collect });
  };
  byKind('pathmend_work_running', 'Searches, writes and key look-ups in flight.', () => ({
    searches: searches.stats().running,
    writes: writes.stats().running,
    admissions: admissions.stats().running,
  }));
  byKind(
    'pathmend_work_waiting',
    'Waiting work: requests in the admission queue, and searches, writes and key look-ups.',
    () => ({
      beginnings: sources.admissionQueue().waiting,
      searches: searches.stats().waiting,
      writes: writes.stats().waiting,
      admissions: admissions.stats().waiting,
    }),
  );
  byKind('pathmend_overload_refusals', 'Requests refused since the start, by the bound that refused them.', () => ({
    beginnings: sources.admissionQueue().refused,
    searches: searches.stats().refused,
    writes: writes.stats().refused,
    admissions: admissions.stats().refused,
    bytes: sources.bytes.stats().refused,
  }));
  return {
    registry,
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
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    searches: new Counter({
      name: 'pathmend_searches_total',
      help: 'Searches by kind and by what answered: cache, index, shared (one search of the index for several at once), or nothing above the threshold.',
      labelNames: ['kind', 'answer'],
      registers,
    }),
    pagesIndexed: new Counter({
      name: 'pathmend_pages_indexed_total',
      help: 'Pages vectorized and indexed.',
      registers,
    }),
    pagesFailed: new Counter({ name: 'pathmend_pages_failed_total', help: 'Pages that ended in ERROR.', registers }),
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

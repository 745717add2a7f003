import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Rows = readonly (readonly [label: string, file: string, ...at: string[]])[];

/** One table of benchmarks.md: a row is an object in a result, a column a figure in it. */
interface BenchmarkTable {
  /** The heading of the first column: it names what a row is. */
  head: string;
  /** Label, file without `.json`, and where the row's object is in it. */
  rows: Rows | ((read: (file: string) => unknown) => Rows);
  /** Label, and where the figure is in the row's object; the first place that has one counts. */
  columns: readonly (readonly [label: string, ...places: string[]])[];
}

const SEARCH = [
  ['per second', 'per_second'],
  ['p50 ms', 'p50_ms'],
  ['p95 ms', 'p95_ms'],
] as const;
const SCALE = [
  ['question p50 ms', 'semantic_search.p50_ms'],
  ['p95', 'semantic_search.p95_ms'],
  ['path p50 ms', 'suggest.p50_ms'],
  ['p95', 'suggest.p95_ms'],
  ['questions/s', 'semantic_search_16.per_second'],
  ['paths/s', 'suggest_16.per_second'],
  ['recall@10 of questions', 'recall.query_recall_10', 'recall.exact'],
  ['recall@3 of paths', 'recall.suggest_recall_3', 'recall.exact'],
] as const;
const PEERS = [
  ['redirects', 'recall3_redirects'],
  ['typos', 'recall3_typos'],
  ['paraphrased paths', 'recall3_meant_paths'],
  ['questions', 'recall3_queries'],
  ['paraphrased', 'recall3_meant_questions'],
  ['taken off, redirected', 'taken_off_redirected'],
  ['paths/s', 'path_per_second'],
  ['p95 ms', 'path_p95_ms'],
  ['questions/s', 'query_per_second'],
  ['p95 ms', 'query_p95_ms'],
  ['build s', 'build_s'],
  ['peak MB', 'peak_rss_mb'],
] as const;

const PEER_RUNS = [
  ['1,000', 'peers-1000'],
  ['10,000', 'peers-10000'],
] as const;

/** Faster questions are in the results only. */
const SLOW_QUESTION_MS = 100;

const VECTORS = [
  'scan',
  'segment',
  'bits, 100 re-ranked',
  'bits, 400 re-ranked',
  'bits scanned, 400 re-ranked',
  'shared, strict',
  'shared, relaxed',
  'shared, relaxed, 20,000 rows at most',
];

const TABLES: Readonly<Record<string, BenchmarkTable>> = {
  admission: {
    head: '16 connections',
    rows: [
      ['server: bare Express', 'admission-server', 'floor'],
      ['server: cached suggest', 'admission-server', 'suggest_cached'],
      ['embedded: bare Express', 'admission-embedded', 'floor'],
      ['embedded: cached suggest', 'admission-embedded', 'suggest_cached'],
    ],
    columns: [...SEARCH, ['p99 ms', 'p99_ms']],
  },
  uncached: {
    head: '1,000 pages, 16 connections',
    rows: [
      ['server, question: floor', 'uncached-server-1000', 'semantic-search', 'floor_behind_express'],
      ['server, question: pathmend', 'uncached-server-1000', 'semantic-search', 'service'],
      ['server, path: floor', 'uncached-server-1000', 'suggest', 'floor_behind_express'],
      ['server, path: pathmend', 'uncached-server-1000', 'suggest', 'service'],
      ['embedded, question: floor', 'uncached-embedded-1000', 'semantic-search', 'floor_behind_express'],
      ['embedded, question: pathmend', 'uncached-embedded-1000', 'semantic-search', 'service'],
      ['embedded, path: floor', 'uncached-embedded-1000', 'suggest', 'floor_behind_express'],
      ['embedded, path: pathmend', 'uncached-embedded-1000', 'suggest', 'service'],
    ],
    columns: [...SEARCH, ['CPU ms', 'cpu_ms']],
  },
  scale: {
    head: 'chunks',
    rows: [
      ['1,000', 'scale', 'by_passages', '1000'],
      ['10,000', 'scale', 'by_passages', '10000'],
      ['100,000', 'scale', 'by_passages', '100000'],
      ['1,000,000', 'scale', 'by_passages', '1000000'],
    ],
    columns: SCALE,
  },
  vectors: {
    head: 'ten nearest pages',
    rows: VECTORS.map((name) => [name, 'vectors', 'contenders', name] as const),
    columns: [
      ['100,000: recall', '100000.recall'],
      ['p95 ms', '100000.p95_ms'],
      ['1,000,000: recall', '1000000.recall'],
      ['p50 ms', '1000000.p50_ms'],
      ['p95', '1000000.p95_ms'],
      ['build s', '1000000.build_s'],
      ['index MB', '1000000.index_mb'],
      ['tenant: recall', 'tenant.recall'],
      ['p95 ms', 'tenant.p95_ms'],
    ],
  },
  'scale-tenants': {
    head: '1,000 chunks',
    rows: [
      ['alone', 'scale-tenants', 'by_passages', '1000'],
      ['one of 1,000 tenants', 'scale-tenants', 'by_passages', 'one of 1000 tenants'],
    ],
    columns: SCALE.slice(0, 6),
  },
  ingest: {
    head: '2,000 pages',
    rows: [
      ['server', 'ingest-server'],
      ['embedded', 'ingest-embedded'],
    ],
    columns: [
      ['embedding alone, pages/s', 'pages_to_indexed.floor.per_second'],
      ['indexed', 'pages_to_indexed.ours.per_second'],
      ['indexed while searched', 'pages_to_indexed.ours_searched.per_second'],
      ['upserts/s', 'upserts_to_202.ours.per_second'],
      ['search p95 ms, idle', 'search_ms.idle.p95'],
      ['while indexing', 'search_ms.while_indexing.p95'],
      ['upsert to searchable p95 ms, idle', 'upsert_to_searchable_ms.idle.p95'],
      ['at 50 upserts/s', 'upsert_to_searchable_ms.under_load.p95'],
    ],
  },
  memory: {
    head: 'process',
    rows: [
      ['worker, 100 pages', 'memory', 'worker'],
      ['api, 2,000 requests, half of them cached', 'memory', 'api'],
    ],
    columns: [
      ['last MB', 'last_rss_mb'],
      ['peak MB', 'peak_rss_mb'],
    ],
  },
  peers: {
    head: 'pages: recall@3, speed',
    rows: (read) =>
      PEER_RUNS.flatMap(([label, file]) =>
        Object.keys(Object(find(read(file), ['contenders']))).map(
          (peer) => [`${label}: ${peer.replaceAll('_', ' ')}`, file, 'contenders', peer] as const,
        ),
      ),
    columns: PEERS,
  },
  start: {
    head: 'start',
    rows: [
      ['embedded, first', 'start', 'embedded_first'],
      ['embedded, again', 'start', 'embedded_again'],
      ['server', 'start', 'server'],
    ],
    columns: [['ready ms', 'ready_ms']],
  },
  events: {
    head: '64 connections',
    rows: [
      ['bare Express', 'events', 'express'],
      ['plain inserts', 'events', 'inserts'],
      ['pathmend', 'events', 'events'],
    ],
    columns: [
      ['acknowledged/s', 'acknowledged_per_second'],
      ['stored/s', 'stored_per_second'],
      ['p50 ms', 'p50_ms'],
      ['p99 ms', 'p99_ms'],
      ['service CPU ms', 'service_cpu_ms_each'],
      ['database CPU ms', 'database_cpu_ms_each'],
    ],
  },
  console: {
    head: 'page',
    rows: (read) =>
      Object.keys(Object(find(read('console-server'), ['console']))).map(
        (page) => [page, 'console-server', 'console', page] as const,
      ),
    columns: [
      ['a month: ms', 'ms_month'],
      ['CPU ms of the database', 'cpu_ms_month'],
      ['400 days: ms', 'ms_days_400'],
      ['CPU ms of the database', 'cpu_ms_days_400'],
    ],
  },
  questions: {
    head: 'question',
    rows: (read) =>
      Object.entries(Object(find(read('questions-server'), ['questions'])))
        .filter(([, figures]) => Number(find(figures, ['ms_1000000'])) >= SLOW_QUESTION_MS)
        .map(([title]) => [title, 'questions-server', 'questions', title] as const),
    columns: [
      ['100,000: ms', 'ms_100000'],
      ['CPU ms', 'cpu_ms_100000'],
      ['1,000,000: ms', 'ms_1000000'],
      ['CPU ms', 'cpu_ms_1000000'],
    ],
  },
};

/** {@link TABLES} as Markdown, by block name: `benchmark admission` and so on. `folder` holds the results. */
export function benchmarkTables(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, `${file}.json`), 'utf8'));
  return Object.fromEntries(
    Object.entries(TABLES).map(([name, { head, rows: listed, columns }]) => {
      const rows = typeof listed === 'function' ? listed(read) : listed;
      const machines = new Set(rows.map(([, file]) => machineLine(find(read(file), ['machine']))));
      const lines = rows.map(([label, file, ...at]) => {
        const row = find(read(file), at);
        if (row === undefined) throw new Error(`${file}.json has no ${at.join('.')}`);
        const cells = columns.map(([, ...places]) => places.map((place) => find(row, place.split('.'))).find(isFigure));
        return `| ${[label, ...cells.map((cell) => (cell === undefined ? '' : shown(cell)))].join(' | ')} |`;
      });
      const heads = `| ${[head, ...columns.map(([label]) => label)].join(' | ')} |`;
      return [
        `benchmark ${name}`,
        [[...machines].join('; ') + '.', '', heads, `|---|${columns.map(() => '---|').join('')}`, ...lines].join('\n'),
      ];
    }),
  );
}

function find(value: unknown, at: readonly string[]): unknown {
  return at.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

function isFigure(value: unknown): value is number {
  return typeof value === 'number';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Three digits that count, as runs do not agree in more; shares and recall keep their own. */
function shown(value: number): string {
  if (value < 1) return String(value);
  return value < 100 ? String(Number(value.toPrecision(3))) : Math.round(value).toLocaleString('en-US');
}

function machineLine(machine: unknown): string {
  if (!isObject(machine)) return '';
  return `${String(machine['cpu'])}, ${String(machine['cores'])} cores, ${String(machine['memory_gib'])} GiB, Node ${String(machine['node'])}`;
}

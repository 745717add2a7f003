import {
  selectDaysNotKept,
  selectIndexHealth,
  selectLatency,
  selectUsage,
  type LatencyRow,
} from '../../analytics/store/searches.js';
import type { Html } from '../../text/html.js';
import { analyticsPage } from './analytics-page.js';
import { report, type Column, type ShownPeriod } from './report.js';
import { byDay, lineChart } from '../shared/chart.js';

const latency: readonly Column<LatencyRow>[] = [
  { name: 'Searches', value: ({ searches }) => searches },
  { name: 'Median, ms', value: ({ p50 }) => rounded(p50) },
  { name: '95% within, ms', value: ({ p95 }) => rounded(p95) },
  { name: '99% within, ms', value: ({ p99 }) => rounded(p99) },
];

/** The page shows how fast searches were answered, how much the project was used, and the state of its index. */
export const analyticsUsagePage = analyticsPage('/usage', [
  report({
    id: 'latency',
    title: 'Search latency',
    about:
      'Searches by people, measured inside pathmend, without network time. Values are rounded up, by 12.5% at most.',
    none: 'No searches in this period.',
    query: ({ tenant }, period) => selectLatency(tenant, period, 'day'),
    sums: { Searches: ['searches'] },
    columns: [{ name: 'Day (UTC)', value: ({ of }) => of }, ...latency],
    picture: (rows, period) =>
      daysChart(
        'Milliseconds by day',
        period,
        rows.map((row) => [row.of, row]),
        { Median: ['p50', 'redirected'], '95% within': ['p95', 'suggested'], '99% within': ['p99', 'nothing'] },
        (ms) => `${rounded(ms)} ms`,
      ),
    isPictureAlone: true,
  }),
  report({
    id: 'latency-by-kind',
    title: 'Latency by type of search',
    about:
      'How long half, 95% and 99% of the searches took at most. The types suggest, proxy and not-found take missing paths, the others questions.',
    none: 'No searches in this period.',
    query: ({ tenant }, period) => selectLatency(tenant, period, 'kind'),
    columns: [
      { name: 'Kind', value: ({ of }) => of },
      ...latency,
      { name: '95% before, ms', value: (row) => row.p95_before && rounded(row.p95_before) },
    ],
  }),
  report({
    id: 'usage',
    title: 'Plan usage',
    about:
      'Searches and events (404s and clicks) per day. A plan limits requests per second, not per day: see its rates under Settings.',
    none: 'No searches or events in this period.',
    query: ({ tenant }, period) => selectUsage(tenant, period),
    sums: { Searches: ['searches'], Events: ['events'] },
    columns: [
      { name: 'Day (UTC)', value: ({ day }) => day },
      { name: 'Searches', value: ({ searches }) => searches },
      { name: 'Events', value: ({ events }) => events },
    ],
    picture: (rows, period) =>
      daysChart(
        'Searches and events by day',
        period,
        rows.map((row) => [row.day, row]),
        { Searches: ['searches', 'redirected'], Events: ['events', 'suggested'] },
      ),
    isPictureAlone: true,
  }),
  report({
    id: 'not-kept',
    title: 'Data not stored',
    about:
      'Days with more data than HISTORY_MB_PER_DAY allows. The rest was counted but not stored, so other charts show only a part of these days.',
    none: 'All data of this period was stored.',
    query: ({ tenant }, period) => selectDaysNotKept(tenant, period),
    sums: { 'Not stored': ['not_kept'] },
    columns: [
      { name: 'Day (UTC)', value: ({ day }) => day },
      { name: 'What', value: ({ what }) => what },
      { name: 'Stored', value: ({ stored }) => stored },
      { name: 'Not stored', value: ({ not_kept }) => not_kept },
    ],
  }),
  report({
    id: 'index-health',
    title: 'Index status',
    about:
      'Pages by state now. Waiting pages are found by their previous content; failed ones could not be indexed. Distinct words are those of all pages, by which spelling is corrected.',
    none: 'The project has no pages.',
    read: ({ tenant }) => selectIndexHealth(tenant),
    columns: [
      { name: 'Searchable', value: ({ searchable }) => searchable, to: () => '/pages' },
      { name: 'Waiting', value: ({ waiting }) => waiting, to: () => '/pages?status=PENDING_VECTORIZATION' },
      { name: 'Failed', value: ({ failed }) => failed, to: () => '/pages?status=ERROR' },
      { name: 'Oldest waiting since', value: ({ waiting_since }) => waiting_since },
      { name: 'Last indexed', value: ({ last_indexed_at }) => last_indexed_at },
      { name: 'Distinct words', value: ({ words }) => words },
    ],
  }),
]);

/** Rounds milliseconds: `0.9`, `12`. From ten on they are whole. */
function rounded(ms: number): number {
  return ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms);
}

/** Draws lines from day to day, one for each of the named fields of the rows. */
function daysChart<Name extends string>(
  title: string,
  { days, today }: ShownPeriod,
  rows: readonly (readonly [day: string, Partial<Record<Name, number>>])[],
  lines: Readonly<Record<string, readonly [field: Name, tone: string]>>,
  format?: (value: number) => string,
): Html {
  const rowOf = new Map(rows);
  const series = Object.entries(lines).map(([name, [field, tone]]) => ({
    name,
    tone,
    // A day without searches has no latency, and no searches.
    values: days.map((day) => rowOf.get(day)?.[field] ?? (format ? null : 0)),
  }));
  return lineChart({ title, ...byDay(days, today), series, ...(format && { format }) });
}

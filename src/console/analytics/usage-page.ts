import { selectIndexHealth, selectBrokenRedirects } from '../../analytics/store/redirects.js';
import { selectLatency, type LatencyRow } from '../../analytics/store/searches.js';
import type { Period } from '../../analytics/store/not-founds.js';
import { selectUsage, type UsageDay } from '../../events/store/history-days.js';
import type { Html } from '../../text/html.js';
import { analyticsPage } from './analytics-page.js';
import { report, type Column } from './report.js';
import { lineChart } from '../shared/chart.js';
import { lastDays } from '../shared/recovery-chart.js';

const latency: readonly Column<LatencyRow>[] = [
  { name: 'Searches', value: ({ searches }) => searches },
  { name: 'Half within, ms', value: ({ p50 }) => rounded(p50) },
  { name: '95% within, ms', value: ({ p95 }) => rounded(p95) },
  { name: '99% within, ms', value: ({ p99 }) => rounded(p99) },
];

/** How fast searches were answered, and what was used of the plan. */
export const analyticsUsagePage = analyticsPage('/usage', [
  report({
    id: 'latency',
    title: 'How long searches took',
    about: 'Of people, inside pathmend, without the network. Upper bounds, at most an eighth too high.',
    none: 'Nothing was searched in these days.',
    read: ({ tenant }, period) => selectLatency(tenant, period, 'day'),
    columns: [{ name: 'Day (UTC)', value: ({ of }) => of }, ...latency],
    picture: latencyPicture,
    isPictureAlone: true,
  }),
  report({
    id: 'latency-by-kind',
    title: 'By kind of search',
    about: 'suggest, proxy and not-found are asked with dead paths, the others with questions.',
    none: 'Nothing was searched in these days.',
    read: ({ tenant }, period) => selectLatency(tenant, period, 'kind'),
    columns: [{ name: 'Kind', value: ({ of }) => of }, ...latency],
  }),
  report({
    id: 'usage',
    title: 'Use of the plan',
    about:
      'Searches and events of each day. A plan bounds how many come in a second, not in a day: Settings has its rates.',
    none: 'Nothing was searched or reported in these days.',
    read: ({ deps, project }, { days }) => selectUsage(deps.db, project.project_id, days),
    columns: [
      { name: 'Day (UTC)', value: ({ day }) => day },
      { name: 'Searches', value: ({ searches }) => searches },
      { name: 'Events', value: ({ events }) => events },
    ],
    picture: usagePicture,
    isPictureAlone: true,
  }),
  report({
    id: 'not-kept',
    title: 'What was not kept',
    about:
      'Days on which more came than HISTORY_MB_PER_DAY keeps: the rest was counted and not stored, so the other pictures show a part of these days.',
    none: 'All that came in these days was kept.',
    read: ({ deps, project }, period) => selectBrokenRedirects(deps.db, project.project_id, period),
    columns: [
      { name: 'Day (UTC)', value: ({ day }) => day },
      { name: 'What', value: ({ what }) => what },
      { name: 'Kept', value: ({ stored }) => stored },
      { name: 'Not kept', value: ({ not_kept }) => not_kept },
    ],
  }),
  report({
    id: 'index-health',
    title: 'Whether pages can be found',
    about: 'As of now. Pages that wait are found by what they said before.',
    none: 'The project has no pages.',
    read: async ({ tenant }) => {
      const health = await selectIndexHealth(tenant);
      return health ? [health] : [];
    },
    columns: [
      { name: 'Can be found', value: ({ searchable }) => searchable },
      { name: 'Waiting', value: ({ waiting }) => waiting },
      { name: 'In error', value: ({ failed }) => failed },
      { name: 'Oldest waits since', value: ({ waiting_since }) => waiting_since },
      { name: 'Last indexed', value: ({ last_indexed_at }) => last_indexed_at },
      { name: 'Distinct words', value: ({ words }) => words },
    ],
  }),
]);

/** `0.9`, `12`: whole milliseconds from ten on. */
function rounded(ms: number): number {
  return ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms);
}

function latencyPicture(rows: readonly LatencyRow[], { today, days: count }: Period): Html {
  const days = lastDays(Date.parse(today), count);
  const byDay = new Map(rows.map((row) => [row.of, row]));
  const values = (of: 'p50' | 'p95' | 'p99'): (number | null)[] => days.map((day) => byDay.get(day)?.[of] ?? null);
  return lineChart({
    title: 'Milliseconds by day',
    axis: 'Day (UTC)',
    labels: days,
    series: [
      { name: 'Half within', tone: 'redirected', values: values('p50') },
      { name: '95% within', tone: 'suggested', values: values('p95') },
      { name: '99% within', tone: 'nothing', values: values('p99') },
    ],
    format: (ms) => `${rounded(ms)} ms`,
  });
}

function usagePicture(rows: readonly UsageDay[], { today, days: count }: Period): Html {
  const days = lastDays(Date.parse(today), count);
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const values = (of: 'searches' | 'events'): number[] => days.map((day) => byDay.get(day)?.[of] ?? 0);
  return lineChart({
    title: 'Searches and events by day',
    axis: 'Day (UTC)',
    labels: days,
    series: [
      { name: 'Searches', tone: 'redirected', values: values('searches') },
      { name: 'Events', tone: 'suggested', values: values('events') },
    ],
  });
}

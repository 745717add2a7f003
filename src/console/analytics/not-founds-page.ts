import {
  selectMissedPaths,
  selectOutcomes,
  selectRedirectEffects,
  type OutcomeRow,
  type Period,
} from '../../analytics/store/not-founds.js';
import { OUTCOMES, type Outcome } from '../../analytics/store/recovery.js';
import { html, type Html } from '../../text/html.js';
import { percent } from '../shared/numbers.js';
import { analyticsPage } from './analytics-page.js';
import { pastAnswerColumns, report, type Column } from './report.js';
import { lineChart } from '../shared/chart.js';
import { lastDays, recoveryChart } from '../shared/recovery-chart.js';

const VISITORS: Readonly<Record<string, string>> = {
  person: 'People',
  unknown: 'Unknown: no user agent was told',
  assistant: 'Assistants that fetch for a person',
  search_engine: 'Search engines',
  scanner: 'Scanners that try doors',
  robot: 'Other robots',
};

const SHORT_NAMES: Readonly<Record<Outcome, string>> = {
  redirected: 'Redirected',
  clicked: 'Clicked',
  suggested: 'Clicked none',
  nothing: 'Nothing',
  gone: 'Gone',
  unlinked: 'Not known',
};

const outcomes: readonly Column<OutcomeRow>[] = [
  { name: '404s', value: ({ hits }) => hits },
  ...OUTCOMES.map((one) => ({ name: SHORT_NAMES[one], value: (row: OutcomeRow) => row[one] })),
];

/** What became of 404s, and of which paths. */
export const analyticsNotFoundsPage = analyticsPage(
  '',
  [
    report({
      id: 'outcomes',
      title: 'What became of 404s',
      about:
        'By day, of people unless you choose others above. Recovered are those who were redirected or clicked a suggestion; of robots no outcome is counted.',
      none: 'None of these visitors met a 404 in these days.',
      read: ({ tenant }, period) => selectOutcomes(tenant, period, 'day'),
      columns: [{ name: 'Day (UTC)', value: ({ of }) => of }, ...outcomes],
      picture: outcomesPicture,
      isPictureAlone: true,
    }),
    report({
      id: 'visitors',
      title: 'Who met them',
      about: 'By user agent and behaviour. Of robots and scanners no outcome is counted.',
      none: 'Nobody met a 404 in these days.',
      read: ({ tenant }, period) => selectOutcomes(tenant, period, 'visitor'),
      columns: [{ name: 'Visitors', value: ({ of }) => VISITORS[of] ?? of }, ...outcomes],
    }),
    report({
      id: 'missing-paths',
      title: 'Paths that most people missed',
      about: 'Met by people in these days, of all origins. The counts are of all 404s that are kept.',
      none: 'No person met a missing path in these days.',
      read: ({ tenant }, period, limit) => selectMissedPaths(tenant, period, limit),
      columns: [
        { name: 'Path', value: ({ path }) => path, as: 'path' },
        { name: 'People', value: ({ people }) => people },
        { name: 'Recovered', value: ({ recovered, people }) => recovered / people, as: 'percent' },
        { name: 'Robots', value: ({ robots }) => robots },
        { name: 'Last suggestion', value: ({ best_url }) => best_url, as: 'url' },
        pastAnswerColumns('best_score', 'best_at'),
        { name: 'Last met', value: ({ last_human }) => last_human },
      ],
    }),
    report({
      id: 'redirect-effects',
      title: 'What new redirects did',
      about:
        'Redirects that were added in these days: 404s of people in the four weeks before that day, and after it. What your web server redirects itself is no 404 any more.',
      none: 'No redirect was added in these days.',
      read: ({ tenant }, period, limit) => selectRedirectEffects(tenant, period, limit),
      columns: [
        { name: 'Path', value: ({ path }) => path, as: 'url' },
        { name: 'Kind', value: ({ kind }) => kind },
        { name: 'Leads to', value: ({ target }) => target, as: 'url' },
        { name: '404s before', value: ({ hits_before }) => hits_before },
        { name: 'Recovered before', value: ({ recovered_before }) => recovered_before },
        { name: '404s after', value: ({ hits_after }) => hits_after },
        { name: 'Recovered after', value: ({ recovered_after }) => recovered_after },
        { name: 'Added', value: ({ added_at }) => added_at },
      ],
    }),
  ],
  ['origin', 'visitors', 'prefix'],
);

function outcomesPicture(rows: readonly OutcomeRow[], { today, days: count }: Period): Html {
  const days = lastDays(Date.parse(today), count);
  const byDay = new Map(rows.map((row) => [row.of, row]));
  const shares = days.map((day) => {
    const { hits = 0, redirected = 0, clicked = 0 } = byDay.get(day) ?? {};
    return hits === 0 ? null : (redirected + clicked) / hits;
  });
  const cells = rows.flatMap((row) => OUTCOMES.map((outcome) => ({ day: row.of, outcome, hits: row[outcome] })));
  return html`${recoveryChart(cells, days)}${lineChart({
    title: 'Share that was recovered',
    axis: 'Day (UTC)',
    labels: days,
    series: [{ name: 'Recovered', tone: 'redirected', values: shares }],
    format: percent,
    top: 1,
  })}`;
}

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
  unknown: 'Unknown: no user agent',
  assistant: 'Assistants acting for a person',
  search_engine: 'Search engines',
  scanner: 'Vulnerability scanners',
  robot: 'Other robots',
};

const SHORT_NAMES: Readonly<Record<Outcome, string>> = {
  redirected: 'Redirected',
  clicked: 'Clicked',
  suggested: 'Clicked none',
  nothing: 'No suggestions',
  gone: 'Gone',
  unlinked: 'Unknown',
};

const outcomes: readonly Column<OutcomeRow>[] = [
  { name: '404s', value: ({ hits }) => hits },
  ...OUTCOMES.map((one) => ({ name: SHORT_NAMES[one], value: (row: OutcomeRow) => row[one] })),
];

/** Outcomes of 404s, and their paths. */
export const analyticsNotFoundsPage = analyticsPage(
  '',
  [
    report({
      id: 'outcomes',
      title: '404 outcomes',
      about:
        'By day, for people unless you choose others above. Recovered: redirected, or clicked a suggestion. Outcomes are not counted for scanners and other robots.',
      none: 'No 404s from these visitors in this period.',
      read: ({ tenant }, period) => selectOutcomes(tenant, period, 'day'),
      columns: [{ name: 'Day (UTC)', value: ({ of }) => of }, ...outcomes],
      picture: outcomesPicture,
      isPictureAlone: true,
    }),
    report({
      id: 'visitors',
      title: 'Visitors',
      about: 'By user agent and behaviour. Outcomes are not counted for scanners and other robots.',
      none: 'No 404s in this period.',
      read: ({ tenant }, period) => selectOutcomes(tenant, period, 'visitor'),
      columns: [{ name: 'Visitors', value: ({ of }) => VISITORS[of] ?? of }, ...outcomes],
    }),
    report({
      id: 'missing-paths',
      title: 'Most missed paths',
      about: 'Requested by people in this period, from all origins. The counts cover all stored 404s.',
      none: 'No people requested a missing path in this period.',
      read: ({ tenant }, period, limit) => selectMissedPaths(tenant, period, limit),
      columns: [
        { name: 'Path', value: ({ path }) => path, as: 'path' },
        { name: 'People', value: ({ people }) => people },
        { name: 'Recovered', value: ({ recovered, people }) => recovered / people, as: 'percent' },
        { name: 'Robots', value: ({ robots }) => robots },
        { name: 'Last suggestion', value: ({ best_url }) => best_url, as: 'url' },
        pastAnswerColumns('best_score', 'best_at'),
        { name: 'Last seen', value: ({ last_human }) => last_human },
      ],
    }),
    report({
      id: 'redirect-effects',
      title: 'Effect of new redirects',
      about:
        'Redirects added in this period: 404s from people in the four weeks before, and since. Redirects made by your web server cause no 404.',
      none: 'No redirects were added in this period.',
      read: ({ tenant }, period, limit) => selectRedirectEffects(tenant, period, limit),
      columns: [
        { name: 'Path', value: ({ path }) => path, as: 'url' },
        { name: 'Kind', value: ({ kind }) => kind },
        { name: 'Target', value: ({ target }) => target, as: 'url' },
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
    title: 'Recovery rate',
    axis: 'Day (UTC)',
    labels: days,
    series: [{ name: 'Recovered', tone: 'redirected', values: shares }],
    format: percent,
    top: 1,
  })}`;
}

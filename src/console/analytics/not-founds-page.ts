import {
  selectCertainDays,
  selectMissedPaths,
  selectOutcomes,
  selectRedirectEffects,
  type OutcomeRow,
  OUTCOMES,
  type Outcome,
} from '../../analytics/store/not-founds.js';
import { html, type Html } from '../../text/html.js';
import { percent } from '../shared/numbers.js';
import { analyticsPage } from './analytics-page.js';
import { pastAnswerColumns, report, type Column, type ShownPeriod } from './report.js';
import { byDay, lineChart, recoveryChart } from '../shared/chart.js';
import { pathHref, ruleHref } from '../shared/links.js';

/** Kinds of visitors, with their choice of the filter. */
const VISITORS: Readonly<Record<string, readonly [name: string, choice: string]>> = {
  person: ['People', 'people'],
  unknown: ['Unknown: no user agent', 'people'],
  assistant: ['Assistants acting for a person', 'assistants'],
  search_engine: ['Search engines', 'engines'],
  scanner: ['Vulnerability scanners (outcomes not counted)', 'robots'],
  robot: ['Other robots (outcomes not counted)', 'robots'],
};

const SHORT_NAMES: Readonly<Record<Outcome, string>> = {
  redirected: 'Redirected',
  clicked: 'Clicked',
  suggested: 'Clicked none',
  nothing: 'No suggestions',
  gone: 'Gone',
  unlinked: 'Unknown',
};

/** The outcomes of the 404s of a day or of a kind of visitors. */
export const outcomes: readonly Column<OutcomeRow>[] = OUTCOMES.map((outcome) => ({
  name: SHORT_NAMES[outcome],
  value: (row) => (VISITORS[row.of]?.[1] === 'robots' ? null : row[outcome]),
  none: '',
}));

/** Outcomes of 404s, and their paths. */
export const analyticsNotFoundsPage = analyticsPage(
  '',
  [
    report({
      id: 'outcomes',
      title: '404 outcomes',
      about:
        'Requests for missing pages by day, for people unless you choose others above. Recovered: redirected, or clicked a suggestion. Outcomes are not counted for scanners and other robots.',
      none: 'No 404s from these visitors in this period.',
      query: ({ tenant }, period) => selectOutcomes(tenant, period, 'day'),
      sums: { '404s': ['hits'], Recovered: ['redirected', 'clicked'] },
      columns: [{ name: 'Day (UTC)', value: ({ of }) => of }, { name: '404s', value: ({ hits }) => hits }, ...outcomes],
      picture: outcomesPicture,
      isPictureAlone: true,
    }),
    report({
      id: 'certainty',
      title: 'How sure redirects are',
      about:
        'People, from all origins and paths. Confirmed: clicked, or redirected where the path was judged right in the inbox. Contradicted: redirected before the path was judged wrong. Of the other redirects nothing is known.',
      none: 'No people requested a missing path in this period.',
      query: ({ tenant }, period) => selectCertainDays(tenant, period),
      sums: { Confirmed: ['confirmed'], Contradicted: ['contradicted'] },
      columns: [
        { name: 'Day (UTC)', value: ({ day }) => day },
        { name: 'Redirected', value: ({ redirected }) => redirected },
        { name: 'Confirmed', value: ({ confirmed }) => confirmed },
        { name: 'Contradicted', value: ({ contradicted }) => contradicted },
      ],
    }),
    report({
      id: 'visitors',
      title: 'Visitors',
      about:
        'Who requested missing pages, by user agent and behaviour, and what they got. A number of 404s leads to its days.',
      none: 'No 404s in this period.',
      query: ({ tenant }, period) => selectOutcomes(tenant, period, 'visitor'),
      sums: { '404s': ['hits'] },
      columns: [
        { name: 'Visitors', value: ({ of }) => VISITORS[of]?.[0] ?? of },
        {
          name: '404s',
          value: ({ hits }) => hits,
          to: ({ of }, { from, to }) =>
            `/analytics?from=${from}&to=${to}&visitors=${VISITORS[of]?.[1] ?? 'all'}#outcomes`,
        },
        ...outcomes,
      ],
    }),
    report({
      id: 'missing-paths',
      title: 'Most missed paths',
      about:
        'Requests by people in this period and in the days before, from all origins, and the share that was recovered. The last score is that of the last suggestion.',
      none: 'No people requested a missing path in this period.',
      read: ({ tenant }, period, limit) => selectMissedPaths(tenant, period, limit),
      columns: [
        { name: 'Path', value: ({ path }) => path, as: 'path' },
        { name: 'Requests', value: ({ hits }) => hits, to: ({ path }) => pathHref(path) },
        { name: 'Before', value: ({ before }) => before },
        { name: 'Recovered', value: ({ recovered, hits }) => recovered / hits, as: 'percent' },
        { name: 'Last suggestion', value: (row) => row.best_suggestion, as: 'url' },
        pastAnswerColumns('best_score', 'best_suggested_at'),
        { name: 'Last seen', value: (row) => row.last_seen },
      ],
    }),
    report({
      id: 'redirect-effects',
      title: 'Effect of new redirects',
      about:
        'Redirects added in this period, among the latest 500, and wildcards among the latest 100: 404s from people in the four weeks before, and since. Redirects made by your web server cause no 404.',
      none: 'No redirects were added in this period.',
      read: ({ tenant }, period, limit) => selectRedirectEffects(tenant, period, limit),
      columns: [
        { name: 'Path', value: ({ path }) => path, as: 'url', to: ({ path }) => ruleHref(path) },
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

export function outcomesPicture(rows: readonly OutcomeRow[], { days, today }: ShownPeriod): Html {
  const rowOf = new Map(rows.map((row) => [row.of, row]));
  const shares = days.map((day) => {
    const row = rowOf.get(day);
    const counted = row ? countedOf(row) : 0;
    return row && counted > 0 ? (row.redirected + row.clicked) / counted : null;
  });
  const cells = rows.flatMap((row) => [
    ...OUTCOMES.map((outcome) => ({ day: row.of, outcome, hits: row[outcome] })),
    { day: row.of, outcome: 'uncounted' as const, hits: row.hits - countedOf(row) },
  ]);
  const chart = recoveryChart(cells, { days, today }, '404s by outcome');
  if (shares.every((share) => share === null)) return chart;
  return html`${chart}${lineChart({
    title: 'Recovery rate',
    ...byDay(days, today),
    series: [{ name: 'Recovered', tone: 'redirected', values: shares }],
    format: percent,
    top: 1,
  })}`;
}

/** 404s whose outcome is counted: not those of robots. */
function countedOf(row: OutcomeRow): number {
  return OUTCOMES.reduce((sum, outcome) => sum + row[outcome], 0);
}

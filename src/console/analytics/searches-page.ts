import {
  selectCalibration,
  selectEmptyRows,
  selectEmptySearches,
  selectPositions,
  selectPositionsByScore,
  type CalibrationRow,
  type PositionRow,
} from '../../analytics/store/searches.js';
import { percent } from '../shared/numbers.js';
import { analyticsPage } from './analytics-page.js';
import { report, type Column } from './report.js';
import { barChart, lineChart } from '../shared/chart.js';

const clicks: readonly Column<PositionRow>[] = [
  { name: 'Position', value: ({ position }) => placeName(position) },
  { name: 'Shown', value: ({ shown }) => shown },
  { name: 'Clicked', value: ({ clicked }) => clicked },
  { name: 'Click-through', value: ({ shown, clicked }) => share(clicked, shown), as: 'percent' },
];

/** The page shows what was suggested, what was clicked, and which searches found nothing. */
export const analyticsSearchesPage = analyticsPage('/searches', [
  report({
    id: 'positions',
    title: 'Clicks by position',
    about:
      'How many people clicked the suggestion in each position. Not everyone may have seen it. Redirected visitors are left out.',
    none: 'No searches had results in this period.',
    query: ({ tenant }, period) => selectPositions(tenant, period),
    sums: { Clicked: ['clicked'] },
    columns: [...clicks],
    picture: (rows: readonly PositionRow[]) =>
      barChart({
        title: 'Click-through by position',
        axis: 'Position',
        labels: rows.map(({ position }) => placeName(position)),
        series: [
          { name: 'Clicked', tone: 'redirected', values: rows.map(({ shown, clicked }) => share(clicked, shown) ?? 0) },
        ],
        format: percent,
      }),
  }),
  report({
    id: 'positions-by-score',
    title: 'Clicks by score',
    about:
      'Whether people click suggestions with high scores: clicks in each position, by score. Highest scores first. The download has all rows.',
    none: 'No searches had results in this period.',
    read: ({ tenant }, period) => selectPositionsByScore(tenant, period),
    columns: [
      { name: 'Score', value: ({ band }) => bandName(band) },
      ...clicks,
      { name: 'Clicked before', value: ({ before }) => before },
    ],
  }),
  report({
    id: 'calibration',
    title: 'Score accuracy',
    about:
      'Searches by people with a click: how often they clicked the first suggestion, compared with its score. The two lines should match. With few clicks, they vary.',
    none: 'No searches had results in this period.',
    query: ({ tenant }, period) => selectCalibration(tenant, period),
    sums: { Searches: ['searches'], 'With a click': ['clicked'] },
    columns: [
      { name: 'Score', value: ({ band }) => bandName(band) },
      { name: 'Searches', value: ({ searches }) => searches },
      { name: 'With a click', value: ({ clicked }) => clicked },
      { name: 'First suggestion', value: ({ clicked_first }) => clicked_first },
      { name: 'Share on the first', value: (row) => share(row.clicked_first, row.clicked), as: 'percent' },
    ],
    picture: calibrationPicture,
  }),
  report({
    id: 'searches-without-results',
    title: 'Searches without results',
    about:
      'Paths (as understood) and questions for which no page reached the threshold, and how often they were searched for. Known robots are left out. An example leads to its answer now.',
    none: 'Every search in this period had a result.',
    query: ({ tenant }, period, limit) => selectEmptySearches(tenant, period, limit),
    rows: ({ tenant }, period) => selectEmptyRows(tenant, period),
    sums: { Searches: ['searches'] },
    columns: [
      { name: 'Understood as', value: ({ understood }) => understood },
      {
        name: 'Example',
        value: ({ example_input }) => example_input,
        as: 'url',
        to: ({ kind, example_input: input }) =>
          `/try?${new URLSearchParams({ kind: /^(suggest|proxy|not-found)$/.test(kind) ? 'path' : 'query', input }).toString()}`,
      },
      { name: 'Kind', value: ({ kind }) => kind },
      { name: 'Searches', value: ({ searches }) => searches },
      { name: 'Before', value: ({ before }) => before },
      { name: 'Last searched', value: ({ last_searched }) => last_searched },
    ],
  }),
]);

function calibrationPicture(rows: readonly CalibrationRow[]): ReturnType<typeof lineChart> {
  return lineChart({
    title: 'Score, and clicks on the first suggestion',
    axis: 'Score',
    labels: rows.map(({ band }) => bandName(band)),
    series: [
      { name: 'Score (middle of the band)', tone: 'gone', values: rows.map(({ band }) => (band + 0.5) / 10) },
      {
        name: 'Share on the first',
        tone: 'redirected',
        values: rows.map((row) => share(row.clicked_first, row.clicked)),
      },
    ],
    format: (score) => score.toFixed(2),
    top: 1,
  });
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function placeName(position: number): string {
  return position === 10 ? '10 and below' : String(position);
}

function bandName(band: number): string {
  return `${(band / 10).toFixed(1)}–${((band + 1) / 10).toFixed(1)}`;
}

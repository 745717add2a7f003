import {
  selectCalibration,
  selectEmptySearches,
  selectPositions,
  selectPositionsByScore,
  type CalibrationRow,
  type PositionRow,
} from '../../analytics/store/searches.js';
import { percent } from '../shared/numbers.js';
import { analyticsPage } from './analytics-page.js';
import { report } from './report.js';
import { barChart, lineChart } from '../shared/chart.js';

/** What was suggested, what was clicked, and what was looked for in vain. */
export const analyticsSearchesPage = analyticsPage('/searches', [
  report({
    id: 'positions',
    title: 'Clicks by place in the list',
    about:
      'How many of the people who were sent a suggestion at this place clicked it. Whether they saw it is not known; who was redirected is left out.',
    none: 'No search had a result in these days.',
    read: ({ tenant }, period) => selectPositions(tenant, period),
    columns: [
      { name: 'Place', value: ({ position }) => placeName(position) },
      { name: 'Shown', value: ({ shown }) => shown },
      { name: 'Clicked', value: ({ clicked }) => clicked },
      { name: 'Click-through', value: ({ shown, clicked }) => share(clicked, shown), as: 'percent' },
    ],
    picture: (rows: readonly PositionRow[]) =>
      barChart({
        title: 'Click-through by place',
        axis: 'Place',
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
      'Whether people click what is sure: each place in the list, by the score that its suggestion was answered with. The best scores come first; the file has all.',
    none: 'No search had a result in these days.',
    read: ({ tenant }, period) => selectPositionsByScore(tenant, period),
    columns: [
      { name: 'Answered with', value: ({ band }) => bandName(band) },
      { name: 'Place', value: ({ position }) => placeName(position) },
      { name: 'Shown', value: ({ shown }) => shown },
      { name: 'Clicked', value: ({ clicked }) => clicked },
      { name: 'Click-through', value: ({ shown, clicked }) => share(clicked, shown), as: 'percent' },
    ],
  }),
  report({
    id: 'calibration',
    title: 'Whether scores keep their promise',
    about:
      'Of people’s searches with a click: how often it was the first suggestion, beside the score that the first one was answered with. The two lines should lie together; below few clicks they jump. A score that clicks raised is 0.89 at most, however many chose so.',
    none: 'No search had a result in these days.',
    read: ({ tenant }, period) => selectCalibration(tenant, period),
    columns: [
      { name: 'Answered with', value: ({ band }) => bandName(band) },
      { name: 'Searches', value: ({ searches }) => searches },
      { name: 'With a click', value: ({ clicked }) => clicked },
      { name: 'On the first', value: ({ clicked_first }) => clicked_first },
      { name: 'First of clicked', value: (row) => share(row.clicked_first, row.clicked), as: 'percent' },
    ],
    picture: calibrationPicture,
  }),
  report({
    id: 'searches-without-results',
    title: 'Searches without a result',
    about:
      'What visitors asked for and no page answered at its threshold: paths as they were understood, and questions. Of people, and of visitors of whom nothing says that they are robots.',
    none: 'Every search of these days had a result.',
    read: ({ tenant }, period, limit) => selectEmptySearches(tenant, period, limit),
    columns: [
      { name: 'Understood as', value: ({ understood }) => understood },
      { name: 'Such as', value: ({ example_input }) => example_input, as: 'url' },
      { name: 'Kind', value: ({ kind }) => kind },
      { name: 'Searches', value: ({ searches }) => searches },
      { name: 'Last', value: ({ last_searched }) => last_searched },
    ],
  }),
]);

function calibrationPicture(rows: readonly CalibrationRow[]): ReturnType<typeof lineChart> {
  return lineChart({
    title: 'Score, and clicks on the first suggestion',
    axis: 'Answered with',
    labels: rows.map(({ band }) => bandName(band)),
    series: [
      { name: 'Score (middle of the band)', tone: 'gone', values: rows.map(({ band }) => (band + 0.5) / 10) },
      {
        name: 'First of clicked',
        tone: 'redirected',
        values: rows.map((row) => share(row.clicked_first, row.clicked)),
      },
    ],
    format: percent,
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

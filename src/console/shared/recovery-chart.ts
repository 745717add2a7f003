import { OUTCOMES, type Outcome } from '../../analytics/store/recovery.js';
import type { Html } from '../../text/html.js';
import { barChart, byDay } from './chart.js';

/** The outcome of a 404, as the console names it. */
export const OUTCOME_NAMES: Readonly<Record<Outcome | 'uncounted', string>> = {
  redirected: 'Redirected',
  clicked: 'Clicked a suggestion',
  suggested: 'Saw suggestions, clicked none',
  nothing: 'No suggestions',
  gone: 'Gone (410)',
  unlinked: 'Not known: the 404 names no search',
  uncounted: 'Robots: outcome not counted',
};

export function recoveryChart(
  rows: readonly { day: string; outcome: Outcome | 'uncounted'; hits: number }[],
  { days, today }: { days: readonly string[]; today: string | undefined },
  title = '404s from people, by outcome',
): Html {
  const byKey = new Map(rows.map(({ day, outcome, hits }) => [`${day} ${outcome}`, hits]));
  const series = ([...OUTCOMES, 'uncounted'] as const)
    .map((outcome) => ({
      name: OUTCOME_NAMES[outcome],
      tone: outcome,
      values: days.map((day) => byKey.get(`${day} ${outcome}`) ?? 0),
    }))
    .filter(({ values }) => values.some((value) => value > 0));
  return barChart({ title, ...byDay(days, today), series });
}

import { OUTCOMES, type Outcome, type RecoveryDay } from '../../analytics/store/recovery.js';
import type { Html } from '../../text/html.js';
import { barChart, byDay } from './chart.js';

const DAY_MS = 86_400_000;

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

/** The UTC day of a moment. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The last days with today, oldest first. */
export function lastDays(now: number, days: number): string[] {
  return Array.from({ length: days }, (_, at) => dayOf(now - (days - 1 - at) * DAY_MS));
}

export interface Recovery {
  hits: number;
  recovered: number;
}

/** 404s of people on some days, and those that were redirected or whose visitor clicked a suggestion. */
export function sumUp(rows: readonly RecoveryDay[], days: readonly string[]): Recovery {
  const sum = { hits: 0, recovered: 0 };
  for (const { day, outcome, hits } of rows) {
    if (!days.includes(day)) continue;
    sum.hits += hits;
    if (outcome === 'redirected' || outcome === 'clicked') sum.recovered += hits;
  }
  return sum;
}

export function recoveryChart(
  rows: readonly { day: string; outcome: Outcome | 'uncounted'; hits: number }[],
  days: readonly string[],
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
  return barChart({ title, ...byDay(days), series });
}

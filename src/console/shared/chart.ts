import { html, type Html, type HtmlValue } from '../../text/html.js';
import { amount } from '../../text/count-of.js';
import { table } from './components.js';
import { OUTCOMES, type Outcome } from '../../analytics/store/not-founds.js';

export interface Series {
  name: string;
  /** The name of a colour in the style sheet: `redirected` for the class `fill-redirected`. */
  tone: string;
  /** The values, one for each label; null: nothing was counted there. */
  values: readonly (number | null)[];
}

export interface ChartData {
  title: string;
  /** The name of what the labels are: `Day`. */
  axis: string;
  labels: readonly string[];
  series: readonly Series[];
  /** Writes a value; without it, values are whole numbers. */
  format?: (value: number) => string;
  /** The highest value of the scale; computed from the values unless given. */
  top?: number;
  /** The label of a period that is not over, such as today. The chart draws it faintly, and names it so. */
  unfinished?: string | undefined;
}

/** The axis of a chart by day. Today, if it is among the days, is marked: its lower values would look like a fall. */
export function byDay(days: readonly string[], today: string | undefined) {
  return { axis: 'Day (UTC)', labels: days, unfinished: today };
}

const HEIGHT = 200;
const MAX_LABELS = 5;
/** The maximum width of a bar, in percent of the picture's width. */
const MAX_BAR = 12;

/** Bars, one upon the other where there are several series, with a table of the same numbers beneath. */
export function barChart(data: ChartData): Html {
  const { labels, series } = data;
  const faint = faintAt(data);
  const top =
    data.top ?? niceTop(labels.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)));
  const width = 100 / Math.max(1, labels.length);
  const thick = Math.min(width * 0.8, MAX_BAR);
  const bars = labels.flatMap((_, at) => {
    let y = HEIGHT;
    return series.map(({ tone, values }) => {
      if (!values[at]) return undefined;
      const height = (values[at] / top) * HEIGHT;
      y -= height;
      return html`<rect class="fill-${tone}${faint(at)}" x="${round((at + 0.5) * width - thick / 2)}%" y="${round(y)}" width="${round(thick)}%" height="${round(height)}"/>`;
    });
  });
  return around(data, top, bars);
}

/** Lines from label to label, with a table of the same numbers beneath. */
export function lineChart(data: ChartData): Html {
  const { labels, series } = data;
  const faint = faintAt(data);
  const top = data.top ?? niceTop(series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const x = (at: number): string => `${round(((at + 0.5) * 100) / labels.length)}%`;
  const y = (value: number): number => round(HEIGHT * (1 - value / top));
  const lines = series.map(({ tone, values }) =>
    values.map((value, at) => {
      if (value === null) return undefined;
      const before = values[at - 1] ?? null;
      const line =
        before !== null &&
        html`<line class="stroke-${tone}${faint(at)}" x1="${x(at - 1)}" y1="${y(before)}" x2="${x(at)}" y2="${y(value)}"/>`;
      return html`${line}<circle class="fill-${tone}${faint(at)}" cx="${x(at)}" cy="${y(value)}" r="2.5"/>`;
    }),
  );
  return around(data, top, lines);
}

function faintAt({ labels, unfinished }: ChartData): (at: number) => string {
  return (at) => (labels[at] === unfinished ? ' so-far' : '');
}

/** The label of the middle line. For 5 it is 2.5, because a rounded number would be wrong there. */
function half(top: number, format: (value: number) => string): string {
  return format === amount ? amount(top / 2, Number.isInteger(top / 2) ? 0 : 1) : format(top / 2);
}

function around(data: ChartData, top: number, marks: HtmlValue): Html {
  const { title, axis, labels, series, format = amount, unfinished } = data;
  const step = Math.ceil(labels.length / MAX_LABELS);
  const cell = (value: number | null = null): string => (value === null ? '–' : format(value));
  const named = labels.map(
    (label, at) =>
      at % step === 0 &&
      html`<text x="${round(((at + 0.5) * 100) / labels.length)}%" y="${HEIGHT + 18}">${label.replace(/^\d{4}-/, '')}</text>`,
  );
  const grid = [0, 0.5, 1].map(
    (share) => html`<line class="grid" x1="0" x2="100%" y1="${round(HEIGHT * share)}" y2="${round(HEIGHT * share)}"/>`,
  );
  return html`<figure class="chart"><figcaption>${title}</figcaption>
<p class="legend">${series.map(({ name, tone }) => html`<span><svg width="12" height="12" aria-hidden="true"><rect class="fill-${tone}" width="12" height="12" rx="2"/></svg> ${name}</span>`)}${unfinished !== undefined && html`<span>Pale: today so far</span>`}</p>
<div class="plot"><div class="scale" aria-hidden="true"><span>${format(top)}</span><span>${half(top, format)}</span><span>${format(0)}</span></div>
<svg height="${HEIGHT + 24}" role="img" aria-label="${title}. The table below has the data.">${grid}${marks}<g aria-hidden="true">${named}</g></svg></div>
<details><summary>Show data</summary>${table(title, labels, undefined, {
    [axis]: (label) => (label === unfinished ? `${label} (so far)` : label),
    ...Object.fromEntries(series.map(({ name, values }) => [name, (_: string, at: number) => cell(values[at])])),
  })}</details></figure>
`;
}

/** The lowest of 1, 2, 5, 10, 20 … that is not below any value. */
function niceTop(values: readonly number[]): number {
  const most = Math.max(...values, 0);
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((factor) => factor * power >= most) ?? 10) * power;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

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

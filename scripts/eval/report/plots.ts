import type { Reliability } from '../measures.js';
import { html, two, type Html, type HtmlValue } from './html.js';
import { wilsonLower, type ThresholdPoint } from './threshold.js';

/** Units of the drawings; they grow and shrink with the page. Narrow, so that their text can be read on a phone. */
const WIDTH = 400;

export interface BarGroup {
  title: string;
  bars: { name: string; recall1: number; recall3: number }[];
}

function svg(height: number, title: string, content: HtmlValue): Html {
  return html`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">${content}</svg>`;
}

/** Two bars for each method: recall@1 in front of recall@3. */
export function recallBars(groups: readonly BarGroup[]): Html {
  const left = 140;
  const right = 70;
  const width = WIDTH - left - right;
  const rowHeight = 19;
  let y = 0;
  const drawn: HtmlValue[] = groups.map((group) => {
    const title = html`<text x="0" y="${(y += 20)}" class="strong">${group.title}</text>`;
    y += 6;
    const bars = group.bars.map((bar, i) => {
      const barClass = i === 0 ? 'own' : 'peer';
      const top = y;
      y += rowHeight;
      return html`<text x="${left - 6}" y="${top + 13}" text-anchor="end" class="${i === 0 ? 'strong' : 'small'}">${bar.name}</text>
<rect x="${left}" y="${top + 2}" width="${(width * bar.recall3).toFixed(1)}" height="${rowHeight - 4}" class="${barClass} pale"/>
<rect x="${left}" y="${top + 2}" width="${(width * bar.recall1).toFixed(1)}" height="${rowHeight - 4}" class="${barClass}"/>
<text x="${WIDTH - right + 6}" y="${top + 13}" class="small">${two(bar.recall1)} / ${two(bar.recall3)}</text>`;
    });
    y += 8;
    return [title, bars];
  });
  return svg(y, 'Bars of recall@1 and recall@3 for each method and kind of case', drawn);
}

const PLOT = { left: 40, top: 12, width: 340, height: 240 };

function axes(x: (value: number) => number, xTicks: readonly number[], xName: string): Html {
  const bottom = PLOT.top + PLOT.height;
  return html`${[0, 0.2, 0.4, 0.6, 0.8, 1].map((tick) => {
    const y = vertical(tick);
    return html`<line x1="${PLOT.left}" x2="${PLOT.left + PLOT.width}" y1="${y}" y2="${y}" class="grid"/><text x="${PLOT.left - 6}" y="${y + 4}" text-anchor="end" class="small">${tick.toFixed(1)}</text>`;
  })}${xTicks.map((tick) => html`<text x="${x(tick).toFixed(1)}" y="${bottom + 16}" text-anchor="middle" class="small">${tick.toFixed(1)}</text>`)}
<text x="${PLOT.left + PLOT.width / 2}" y="${bottom + 34}" text-anchor="middle" class="small">${xName}</text>`;
}

function vertical(share: number): number {
  return Math.round(10 * (PLOT.top + PLOT.height * (1 - share))) / 10;
}

/**
 * Points at the mean score and the share right of each bin, with their 95 % interval and count. The diagonal is what a
 * score promises.
 */
export function reliabilityDiagram({ bins }: Reliability): Html {
  const x = (score: number): number => PLOT.left + PLOT.width * score;
  const points = bins
    .filter(({ n }) => n > 0)
    .map(({ n, score, right }) => {
      const at = x(score).toFixed(1);
      const successes = Math.round(right * n);
      const low = vertical(wilsonLower(successes, n));
      const high = vertical(1 - wilsonLower(n - successes, n));
      return html`<line x1="${at}" x2="${at}" y1="${low}" y2="${high}" class="interval"/><circle cx="${at}" cy="${vertical(right)}" r="4.5" class="own"/>
<text x="${at}" y="${PLOT.top + PLOT.height + 50}" text-anchor="middle" class="small">${n}</text>`;
    });
  const content = html`${axes(x, [0, 0.2, 0.4, 0.6, 0.8, 1], 'score of the first answer; below: number of cases')}
<line x1="${x(0)}" y1="${vertical(0)}" x2="${x(1)}" y2="${vertical(1)}" class="diagonal"/>${points}`;
  return svg(PLOT.top + PLOT.height + 58, 'Reliability diagram: share of right answers against score', content);
}

/** Precision@1 (full line, the lower end of its interval thin) and answered share (dashed) against the threshold. */
export function thresholdPlot(
  curve: readonly ThresholdPoint[],
  cases: number,
  aim: number,
  chosen: number | undefined,
): Html {
  const from = curve[0]?.threshold ?? 0;
  const to = curve.at(-1)?.threshold ?? 1;
  const x = (threshold: number): number => PLOT.left + (PLOT.width * (threshold - from)) / (to - from || 1);
  const line = (points: readonly ThresholdPoint[], value: (point: ThresholdPoint) => number): string =>
    points.map((point) => `${x(point.threshold).toFixed(1)},${vertical(value(point))}`).join(' ');
  const answered = curve.filter((point) => point.answered > 0);
  const mark =
    chosen === undefined
      ? undefined
      : html`<line x1="${x(chosen).toFixed(1)}" x2="${x(chosen).toFixed(1)}" y1="${PLOT.top}" y2="${PLOT.top + PLOT.height}" class="mark"/>`;
  const content = html`${axes(x, [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], 'threshold')}
<line x1="${PLOT.left}" x2="${PLOT.left + PLOT.width}" y1="${vertical(aim)}" y2="${vertical(aim)}" class="diagonal"/>${mark}
<polyline points="${line(answered, ({ lower }) => lower)}" class="thin"/>
<polyline points="${line(answered, ({ precision }) => precision)}" class="line"/>
<polyline points="${line(curve, (point) => point.answered / (cases || 1))}" class="line dashed"/>`;
  return svg(PLOT.top + PLOT.height + 40, 'Precision@1 and answered share against threshold', content);
}

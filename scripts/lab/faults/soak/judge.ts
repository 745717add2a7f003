import { median } from '../../bench/harness.js';

/** What was seen of each figure, one value a sample. */
export type Series = Map<string, number[]>;

export interface Verdict {
  name: string;
  /** Medians. */
  first: number;
  second: number;
  most: number;
  flat: boolean;
}

/** The beginning is when caches fill, tables get their first rows and V8 its heap. */
const BEGINNING = 0.2;
/** What the medians of two halves may differ by of themselves: a garbage collection, a vacuum that is due. */
const TOLERANCE = 0.15;

/** What grows by nature: rows of history until their week is dropped. It is bounded by retention, not flat. */
const HISTORY = /^history /;

/** Finished jobs are kept for ten minutes and go within another: before that they only become more. */
const FINISHED_JOBS = /^pgboss\.job /;
const JOBS_ARE_KEPT_MS = 690_000;

/** Whether each figure's second half is no larger than its first, past the beginning. */
export function judge(series: Series, everyMs: number): Verdict[] {
  return [...series].map(([name, values]) => {
    const settled = values.slice(
      Math.max(Math.floor(values.length * BEGINNING), FINISHED_JOBS.test(name) ? JOBS_ARE_KEPT_MS / everyMs : 0),
    );
    const half = Math.floor(settled.length / 2);
    const [first, second] = [median(settled.slice(0, half)), median(settled.slice(half))];
    return {
      name,
      first: rounded(first),
      second: rounded(second),
      most: rounded(Math.max(...values)),
      flat: HISTORY.test(name) || second <= first * (1 + TOLERANCE) + slackOf(name),
    };
  });
}

/** Small figures may differ by more than a share of themselves: ten handles, a few pages of a table. */
function slackOf(name: string): number {
  if (name.endsWith('MB')) return 4;
  if (name.endsWith('bytes_in_hand')) return 1e6;
  return name.endsWith('dead rows') ? 2_000 : 50;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

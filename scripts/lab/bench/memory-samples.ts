import { memoryOf } from '../../service/child.js';
import { median, rounded } from './harness.js';

interface Sample {
  /** Milliseconds since the start. */
  at: number;
  /** Requests or pages done. */
  done: number;
  rss: number;
}

export interface MemoryReport {
  done: number;
  first_quarter_rss_mb: number;
  last_quarter_rss_mb: number;
  last_rss_mb: number;
  peak_rss_mb: number;
  /** Least squares over the second half, in megabytes per thousand of what was done. */
  growth_mb_per_1000: number;
}

const EVERY_MS = 500;

/** Samples a process's memory until stopped; `countDone` says what it has done by then, as often as it answers. */
export function watchMemory(pid: number, countDone: () => Promise<number>): { stop: () => Promise<MemoryReport> } {
  const samples: Sample[] = [];
  const counts: { at: number; done: number }[] = [{ at: performance.now(), done: 0 }];
  let asking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const { rss_mb: rss } = await memoryOf(pid);
    samples.push({ at: performance.now(), done: 0, rss });
    asking ??= countDone().then((done) => {
      counts.push({ at: performance.now(), done });
      asking = undefined;
    });
  };
  const timer = setInterval(() => void look(), EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await asking;
      const done = await countDone();
      counts.push({ at: performance.now(), done });
      await look();
      const { peak_rss_mb: peak } = await memoryOf(pid);
      const dated = samples.map((sample) => ({ ...sample, done: doneAt(counts, sample.at) }));
      const quarter = Math.max(1, Math.floor(dated.length / 4));
      const middle = (list: readonly Sample[]): number => rounded(median(list.map(({ rss }) => rss)));
      return {
        done,
        first_quarter_rss_mb: middle(dated.slice(0, quarter)),
        last_quarter_rss_mb: middle(dated.slice(-quarter)),
        last_rss_mb: rounded(dated.at(-1)?.rss ?? 0),
        peak_rss_mb: rounded(peak),
        growth_mb_per_1000: rounded(slope(dated.slice(Math.floor(dated.length / 2))) * 1000),
      };
    },
  };
}

/** Between two counts, as if it had gone evenly. */
function doneAt(counts: readonly { at: number; done: number }[], at: number): number {
  const next = counts.findIndex((count) => count.at >= at);
  const [before, after] = [counts[next - 1], counts[next]];
  if (!before || !after) return counts.at(-1)?.done ?? 0;
  return before.done + ((after.done - before.done) * (at - before.at)) / (after.at - before.at || 1);
}

/** Least-squares slope of memory over what was done; 0 where nothing was done. */
function slope(samples: readonly Sample[]): number {
  const n = samples.length;
  const meanDone = samples.reduce((sum, { done }) => sum + done, 0) / n;
  const meanRss = samples.reduce((sum, { rss }) => sum + rss, 0) / n;
  const spread = samples.reduce((sum, { done }) => sum + (done - meanDone) ** 2, 0);
  return spread === 0
    ? 0
    : samples.reduce((sum, { done, rss }) => sum + (done - meanDone) * (rss - meanRss), 0) / spread;
}

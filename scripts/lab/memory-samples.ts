import { median } from '#src/watch/detect.js';
import { memoryOf } from '../service/child.js';

/** Megabytes of a process: medians of the first and the last quarter of its samples, the last one, and the highest. */
export interface MemoryReport {
  first_quarter_rss_mb: number;
  last_quarter_rss_mb: number;
  last_rss_mb: number;
  peak_rss_mb: number;
}

const EVERY_MS = 500;

/** Samples a process's memory until stopped. */
export function watchMemory(pid: number): { stop: () => Promise<MemoryReport> } {
  const samples: number[] = [];
  const look = async (): Promise<number> => {
    const { rss_mb, peak_rss_mb } = await memoryOf(pid);
    samples.push(rss_mb);
    return peak_rss_mb;
  };
  const timer = setInterval(() => void look(), EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      const peak_rss_mb = await look();
      const quarter = Math.max(1, Math.floor(samples.length / 4));
      return {
        first_quarter_rss_mb: median(samples.slice(0, quarter)),
        last_quarter_rss_mb: median(samples.slice(-quarter)),
        last_rss_mb: samples.at(-1) ?? 0,
        peak_rss_mb,
      };
    },
  };
}

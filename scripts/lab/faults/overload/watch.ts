import { median } from '../../bench/harness.js';
import { memoryOf } from '../../../service/child.js';

export interface Watched {
  /** Megabytes, medians of ten samples: as it began, halfway, at the end; and at most. */
  rssFirst: number;
  rssMiddle: number;
  rssLast: number;
  rssMost: number;
  /**
   * Milliseconds by which the service's event loop was late: the median and the worst of the 99th percentiles of each
   * second.
   */
  lagMedian: number;
  lagMost: number;
  /** Answers of /healthz, /readyz and /metrics that were not 200. */
  unhealthy: number;
  asked: number;
}

const EVERY_MS = 1_000;

/** Looks at a service process once a second, at its memory and at what it tells operators. */
export function watchService({ pid, url }: { pid: number; url: string }): { stop: () => Watched } {
  const rss: number[] = [];
  const lag: number[] = [];
  let [asked, unhealthy] = [0, 0];
  const ask = async (path: string): Promise<string> => {
    asked++;
    const answer = await fetch(url + path).catch(() => undefined);
    if (answer?.status !== 200) unhealthy++;
    return (await answer?.text()) ?? '';
  };
  const look = async (): Promise<void> => {
    rss.push((await memoryOf(pid)).rss_mb);
    const [metrics] = await Promise.all([ask('/metrics'), ask('/healthz'), ask('/readyz')]);
    lag.push(1_000 * Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(metrics)?.[1] ?? 0));
  };
  const timer = setInterval(() => void look(), EVERY_MS);
  void look();
  return {
    stop: () => {
      clearInterval(timer);
      const half = Math.floor(rss.length / 2);
      const around = (list: readonly number[]): number => median(list);
      return {
        rssFirst: around(rss.slice(0, 3)),
        rssMiddle: around(rss.slice(Math.max(0, half - 5), half + 5)),
        rssLast: around(rss.slice(-10)),
        rssMost: Math.max(...rss),
        lagMedian: median(lag),
        lagMost: Math.max(...lag),
        asked,
        unhealthy,
      };
    },
  };
}

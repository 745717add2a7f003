import type { HistoryKind, OverLimit } from './store/history-days.js';
import type { Logger } from '../base/logger.js';
import type { Metrics } from '../platform/telemetry/metrics.js';

/** Limits how much history a project keeps per day. */
export type DailyLimit = ReturnType<typeof createDailyLimit>;

/** @param bytesPerDay the limit for searches; events have the same limit of their own */
export function createDailyLimit(bytesPerDay: number, metrics: Pick<Metrics, 'historyNotKept'>, logger: Logger) {
  return {
    bytesPerDay,
    /** Counts rows that were not stored; warns once for each project, day and kind, over all instances. */
    reportNotKept(kind: HistoryKind, groups: readonly OverLimit[]): void {
      for (const { project_id, day, rows, first } of groups) {
        metrics.historyNotKept.inc({ kind }, rows);
        if (first)
          logger.warn('a project keeps no more history today: what comes is only counted', {
            project_id,
            day,
            kind,
            setting: 'HISTORY_MB_PER_DAY',
          });
      }
    },
  };
}

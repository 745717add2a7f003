import type { HistoryKind, NotKept } from '../database/queries/history-days.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';

/** How much history a project may keep, and who hears when it is more. */
export interface HistoryBound {
  /** Of searches, and as much of events. */
  bytesPerDay: number;
  /** Counts what was not stored, and says so once for a project, day and kind, whichever instance it met. */
  reportNotKept(kind: HistoryKind, groups: readonly NotKept[]): void;
}

export function createHistoryBound(
  bytesPerDay: number,
  metrics: Pick<Metrics, 'historyNotKept'>,
  logger: Logger,
): HistoryBound {
  return {
    bytesPerDay,
    reportNotKept(kind, groups) {
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

import { groupBy } from '../../base/group-by.js';
import type { Clock } from '../../base/clock.js';
import type { Db } from '../../platform/database/db.js';
import { listIndexSegments, type IndexSegment } from '../store/segments.js';
import type { Logger } from '../../base/logger.js';

/** Which projects have indexes of their own, as this process knows it. */
export interface SegmentCatalogue {
  /** In the order of arrival; undefined: the project has none and is scanned. */
  segments(projectId: string, modelId: number): readonly IndexSegment[] | undefined;
  refresh(): Promise<void>;
}

/** A stale list costs time only: a scan needs no index, and a missing index means a scan. */
const REFRESH_AFTER_MS = 5_000;

/** Keeps a few rows in memory. A search that finds them old starts a refresh and does not wait for it. */
export function createSegmentCatalogue(db: Db, clock: Clock, logger: Logger): SegmentCatalogue {
  let known: ReadonlyMap<string, IndexSegment[]> = new Map();
  let readAt = -Infinity;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const from = clock.now();
    try {
      known = groupBy(await listIndexSegments(db), ({ project_id, model_id }) => `${project_id} ${model_id}`);
    } catch (error) {
      logger.warn('the list of own indexes could not be read; the last one stays in use', { error });
    }
    readAt = from;
    reading = undefined;
  }

  const refresh = (): Promise<void> => (reading ??= read());
  return {
    refresh,
    segments: (projectId, modelId) => {
      if (clock.now() - readAt > REFRESH_AFTER_MS) void refresh();
      return known.get(`${projectId} ${modelId}`);
    },
  };
}

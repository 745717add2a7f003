import type { Clock } from '../clock.js';
import type { Db } from '../database/db.js';
import { listSegments, type Segment } from '../database/queries/own-indexes.js';
import type { Logger } from '../logger.js';

/** Which projects are searched through indexes of their own, as this process knows it. */
export interface OwnIndexCatalogue {
  /** The segments of the order of arrival that the project's indexes cover, in that order; undefined: it is scanned. */
  segments(projectId: string, modelId: number): readonly Segment[] | undefined;
  refresh(): Promise<void>;
}

/**
 * How old the list may be. Being wrong costs time, not truth: a scan needs no index, and a missing index means a scan.
 */
const REFRESH_AFTER_MS = 5_000;

/** A handful of rows, read again behind a search that finds them old. */
export function createOwnIndexCatalogue(db: Db, clock: Clock, logger: Logger): OwnIndexCatalogue {
  let known = new Map<string, Segment[]>();
  let readAt = -Infinity;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const from = clock.now();
    try {
      const fresh = new Map<string, Segment[]>();
      for (const { project_id, model_id, ...segment } of await listSegments(db)) {
        const key = `${project_id} ${model_id}`;
        const before = fresh.get(key);
        if (before) before.push(segment);
        else fresh.set(key, [segment]);
      }
      known = fresh;
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

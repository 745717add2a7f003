import type { Clock } from '../clock.js';
import type { Db } from '../database/db.js';
import { listOwnIndexes } from '../database/queries/own-indexes.js';
import type { Logger } from '../logger.js';

/** Which projects are searched through indexes of their own, as this process knows it. */
export interface OwnIndexCatalogue {
  /** Up to where the order of arrival the project's indexes reach; undefined: it is scanned. */
  covered(projectId: string, modelId: number): string | undefined;
  refresh(): Promise<void>;
}

/** How old the list may be. Being wrong costs time, not truth: a scan needs no index, and a missing index means a scan. */
const REFRESH_AFTER_MS = 5_000;

/** A handful of rows, read again behind a search that finds them old. */
export function createOwnIndexCatalogue(db: Db, clock: Clock, logger: Logger): OwnIndexCatalogue {
  let covered = new Map<string, string>();
  let readAt = -Infinity;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const from = clock.now();
    try {
      const rows = await listOwnIndexes(db);
      covered = new Map(rows.map((row) => [`${row.project_id} ${row.model_id}`, row.covered]));
    } catch (error) {
      logger.warn('the list of own indexes could not be read; the last one stays in use', { error });
    }
    readAt = from;
    reading = undefined;
  }

  const refresh = (): Promise<void> => (reading ??= read());
  return {
    refresh,
    covered: (projectId, modelId) => {
      if (clock.now() - readAt > REFRESH_AFTER_MS) void refresh();
      return covered.get(`${projectId} ${modelId}`);
    },
  };
}

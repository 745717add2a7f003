/** Of the project's pages; more at once look like a mistake. */
const MAX_PART = 1 / 5;

const FORCE = '--force deletes them all the same.';

export interface Pruning {
  gone: number;
  /** Of the project, before the sync. */
  stored: number;
  /** Pages that the source named. */
  named: number;
  /** What of the source could not be read, and may be a page: any of those that are gone. */
  unread: number;
}

/**
 * Why the vanished pages are not deleted; undefined if they may be. `force`: all the same, but never for a source
 * without pages, which is more often broken than empty.
 */
export function whyNotPrune({ gone, stored, named, unread }: Pruning, force: boolean): string | undefined {
  if (gone === 0) return undefined;
  if (named === 0) return `the source has no pages, and all ${stored} of the project would be deleted.`;
  if (force) return undefined;
  if (unread > 0)
    return `${unread} of the source could not be read, and may be among the ${gone} pages that it does not have. ${FORCE}`;
  if (gone > stored * MAX_PART)
    return `the source does not have ${gone} of the project's ${stored} pages, more than a fifth. ${FORCE}`;
  return undefined;
}

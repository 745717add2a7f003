import {
  findMissingPlace,
  selectMissingPaths,
  type MissingFilter,
  type MissingPathRow,
  type MissingPlace,
} from '../../analytics/store/missing-paths.js';
import { findUndecided } from '../../rules/preview/try-rules.js';
import type { ConsoleDeps } from '../shared/console-deps.js';

/** Of one page: a few hundredths of a second on the database, filters that match nothing included. */
const MAX_LOOKED = 10_000;
const ROUND = 250;
const MAX_ROUNDS = 8;

export interface Unresolved {
  rows: MissingPathRow[];
  /** Where to go on; undefined: these are the last. */
  next: MissingPlace | undefined;
}

/** Missing paths that nothing is decided about: no rule, no indexed page. By people's hits × doubt. */
export async function readUnresolved(
  deps: ConsoleDeps,
  projectId: string,
  filter: MissingFilter,
  after: MissingPlace | undefined,
  limit: number,
  looked = MAX_LOOKED,
): Promise<Unresolved> {
  const found: MissingPathRow[] = [];
  let last = after;
  for (let round = 0; round < Math.min(MAX_ROUNDS, Math.ceil(looked / ROUND)); round++) {
    const bounds = { looked, limit: ROUND };
    const rows = await selectMissingPaths(deps.db, projectId, filter, last, bounds);
    for (const row of await findUndecided(deps, projectId, rows)) {
      if (found.length === limit) return { rows: found, next: placeOf(found.at(-1)) };
      found.push(row);
    }
    if (rows.length < ROUND) {
      // All that were looked at, which may have been fewer than there are.
      const next = await findMissingPlace(deps.db, projectId, last, looked);
      return { rows: found, next };
    }
    last = placeOf(rows.at(-1));
  }
  return { rows: found, next: last };
}

function placeOf(row: MissingPathRow | undefined): MissingPlace | undefined {
  return row && { hash: row.hash, priority: row.priority };
}

/** How many there are: counted up to `max`, among the first `looked` missing paths. */
export async function countUnresolved(
  deps: ConsoleDeps,
  projectId: string,
  max: number,
  looked?: number,
): Promise<{ count: number; isMore: boolean }> {
  const { rows, next } = await readUnresolved(deps, projectId, {}, undefined, max, looked);
  return { count: rows.length, isMore: next !== undefined };
}

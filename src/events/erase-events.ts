import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../platform/database/db.js';
import { deleteLearnedClicks } from '../rules/store/clicked-moves.js';
import {
  findOwnRows,
  forgetReporter,
  forgetRows,
  nameOfWeek,
  sampleAgain,
  type Erased,
} from './store/erase-history.js';
import { forgetTraces } from './store/erase-traces.js';
import type { Erasure, PathSpellings } from './store/erasure.js';
import { eraseQueued } from './store/erase-queued.js';
import { bumpIndexVersion } from '../projects/index-version.js';
import { lockMoves } from '../projects/turns.js';
import { forgetTopics } from '../analytics/store/topics.js';
import { listWeeks, markRollups } from '../analytics/store/rollups.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { Tenants } from '../platform/database/session/tenants.js';
import { learnSectionMoves } from '../rules/learn-moves-job.js';
import { rebuildProject } from '../analytics/rebuild-rollups-job.js';

/** What the site's own people stored under the path: it stays. */
export type ErasedEvents = Erased & { left?: { rules: number; pages: number; tombstones: number } };

/** Of one transaction. On the embedded database every request waits while it runs. */
const MAX_ROWS = 5_000;
const FIRST = '00000000-0000-0000-0000-000000000000';
const LOOK_AGAIN_MS = 200;

/**
 * Erases what one address sent, or what was sent about one path: 404s, the searches that answered them, clicks on
 * these, what clicks on a path taught, and events that wait to be stored. The sums of the weeks that had such rows are
 * made again from what is left; if this is interrupted, maintenance does it.
 */
export async function eraseEvents(
  { db, tenants }: { db: Db; tenants: Tenants },
  projectId: string,
  erasure: Erasure,
  onWeek: (done: number, weeks: number) => void,
): Promise<ErasedEvents> {
  const erased: ErasedEvents = { not_founds: 0, searches: 0, clicks: 0, queued: 0 };
  for (let busy = true; busy;) {
    const found = await eraseQueued(db, projectId, erasure);
    erased.queued += found.queued;
    ({ busy } = found);
    if (busy) await sleep(LOOK_AGAIN_MS);
  }
  const weeks = await listWeeks(db);
  const changed = new Set<string>();
  await markRollups(db, projectId, true);
  for (const [done, week] of weeks.entries()) {
    const name = await nameOfWeek(db, week);
    for (const what of 'ip' in erasure ? (['not_founds'] as const) : (['not_founds', 'searches', 'clicks'] as const)) {
      for (let after: string | undefined = FIRST; after !== undefined;) {
        const from: string = after;
        const some = await inTransaction(db, (trx) =>
          forgetRows(trx, { projectId, erasure, week, name, maxRows: MAX_ROWS }, what, from),
        );
        for (const name of ['not_founds', 'searches', 'clicks'] as const) erased[name] += some.erased[name];
        for (const one of some.weeks) changed.add(one);
        after = some.last;
      }
    }
    onWeek(done + 1, 2 * weeks.length);
  }
  if ('ip' in erasure) await inTransaction(db, (trx) => forgetReporter(trx, projectId, erasure.ip));
  else {
    await forgetLearned(db, projectId, erasure.path);
    await learnSectionMoves(tenants.of(projectId));
    erased.left = await findOwnRows(db, projectId, erasure.path);
  }
  let done = 0;
  await rebuildProject(db, projectId, [...changed].sort(), () => {
    onWeek(changed.size + ++done, 2 * changed.size);
  });
  await sampleAgain(db);
  return erased;
}

async function forgetLearned(db: Db, projectId: string, path: PathSpellings): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockMoves(trx, projectId);
    await forgetTraces(trx, projectId, path);
    await forgetTopics(trx, projectId);
    let forgotten = 0;
    for (const key of path.keys) forgotten += await deleteLearnedClicks(trx, projectId, key);
    if (forgotten > 0) await bumpIndexVersion(trx, projectId);
  });
}

import { setTimeout as sleep } from 'node:timers/promises';
import { erasePathOfAuditLog } from '../accounts/store/audit-log.js';
import { rebuildProject } from '../analytics/rebuild-rollups-job.js';
import { eraseWaitingLinks, listWeeks, markRollups } from '../analytics/store/rollups.js';
import { eraseClicks, eraseClicksOn, eraseNotFounds, eraseQueued } from '../events/store/erase-events.js';
import { eraseReporter, eraseReports } from '../pages/store/missing-pages.js';
import type { Db, Trx } from '../platform/database/db.js';
import type { Erasure, PathSpellings } from '../platform/database/path-spellings.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { Tenants } from '../platform/database/session/tenants.js';
import { bumpIndexVersion } from '../projects/index-version.js';
import { lockRedirects } from '../projects/turns.js';
import { learnSectionRedirects } from '../rules/learn-redirects-job.js';
import { eraseCountedClicks, erasePathOfRules } from '../rules/store/erase-path.js';
import { dropPathRules } from '../rules/store/path-rules.js';
import { eraseJudgements } from '../search/store/judgements.js';
import { eraseSearches } from '../search/store/searches.js';
import { erasePathOfLinks } from '../sync/store/broken-links.js';
import { erasePathOfRuns } from '../sync/store/sync-runs.js';
import { erasePathOfMessages } from '../watch/store/watches.js';
import { findErasableRows, findOwnRows, nameOfWeek, sampleAgain, type WeeklyTable } from './store/erasable-rows.js';

interface ErasedEvents extends Record<WeeklyTable, number> {
  /** Events that waited to be stored, or that the database refused. */
  queued: number;
  /** The numbers of rows that the site's own people stored under the path: they stay. */
  left?: { rules: number; pages: number; tombstones: number };
}

interface PartOfWeek {
  /** The Monday of the week; `partition` is its {@link nameOfWeek}. */
  week: string;
  partition: string;
  /** The id of the last row that was looked at before. */
  after: string;
}

/** The maximum number of rows in one transaction. On the embedded database every request waits while it runs. */
const MAX_ROWS = 5_000;
const FIRST = '00000000-0000-0000-0000-000000000000';
const LOOK_AGAIN_MS = 200;

/**
 * Erases what an address sent, or was sent about a path: 404s, the searches that answered them, clicks on these,
 * redirects that were learned from clicks on the path, and events that wait to be stored. Each slice erases from its
 * own tables. The sums of their weeks are made again from what is left; if this is interrupted, maintenance does it.
 */
export async function eraseEvents(
  { db, tenants }: { db: Db; tenants: Tenants },
  projectId: string,
  erasure: Erasure,
  onWeek: (done: number, weeks: number) => void,
): Promise<ErasedEvents> {
  const erased: ErasedEvents = { not_founds: 0, searches: 0, clicks: 0, queued: 0 };
  for (let busy = true; busy;) {
    const batch = await eraseQueued(db, projectId, erasure);
    erased.queued += batch.queued;
    ({ busy } = batch);
    if (busy) await sleep(LOOK_AGAIN_MS);
  }
  const weeks = await listWeeks(db);
  const changed = new Set<string>();
  await markRollups(db, projectId, true);
  for (const [done, week] of weeks.entries()) {
    const partition = await nameOfWeek(db, week);
    for (const table of 'ip' in erasure ? (['not_founds'] as const) : (['not_founds', 'searches', 'clicks'] as const))
      for (let after: string | undefined = FIRST; after !== undefined;) {
        const part: PartOfWeek = { week, partition, after };
        const { last, counts } = await inTransaction(db, async (trx) => {
          // A transaction that loses a deadlock runs again, and counts from here again.
          const counts = { ...erased };
          return { last: await eraseSome(trx, projectId, erasure, table, part, counts, changed), counts };
        });
        Object.assign(erased, counts);
        after = last;
      }
    onWeek(done + 1, 2 * weeks.length);
  }
  if ('ip' in erasure) await inTransaction(db, (trx) => eraseReporter(trx, projectId, erasure.ip));
  else {
    await inTransaction(db, (trx) => eraseTraces(trx, projectId, erasure.path));
    await learnSectionRedirects(tenants.of(projectId));
    erased.left = await findOwnRows(db, projectId, erasure.path);
  }
  let done = 0;
  await rebuildProject({ db }, projectId, [...changed].sort(), () => onWeek(changed.size + ++done, 2 * changed.size));
  await dropPathRules(db, projectId);
  await sampleAgain(db);
  return erased;
}

/**
 * Looks at the next rows of one week, and erases those that the erasure is about, with the searches that answered them
 * and the clicks on these. Adds to the counts of `erased`, and to `changed` the weeks whose sums change. Returns the id
 * after which to go on; undefined: that was the last row.
 */
async function eraseSome(
  trx: Trx,
  projectId: string,
  erasure: Erasure,
  table: WeeklyTable,
  { week, partition, after }: PartOfWeek,
  erased: ErasedEvents,
  changed: Set<string>,
): Promise<string | undefined> {
  const erasable = await findErasableRows(trx, projectId, erasure, table, { partition, after, limit: MAX_ROWS });
  const { last, ids, links } = erasable;
  if (ids.length + links.length > 0) {
    changed.add(week);
    if (table === 'not_founds') await eraseNotFounds(trx, { projectId, partition, ids }, links);
    if (table === 'clicks') await eraseClicks(trx, { projectId, partition, ids });
    if (table !== 'searches') erased[table] += ids.length;
  }
  // The search that a click was on may be another visitor's: it stays.
  const searchIds = table === 'clicks' ? [] : erasable.searchIds;
  if (searchIds.length > 0) {
    const weeks = await eraseSearches(trx, projectId, week, searchIds);
    for (const searchWeek of weeks) changed.add(searchWeek);
    erased.searches += weeks.length;
    erased.clicks += await eraseClicksOn(trx, projectId, searchIds);
    await eraseCountedClicks(trx, projectId, searchIds);
    await eraseWaitingLinks(trx, projectId, searchIds);
  }
  return last;
}

/** Deletes a path from all other data that 404s, searches and clicks left. */
async function eraseTraces(trx: Trx, projectId: string, path: PathSpellings): Promise<void> {
  await lockRedirects(trx, projectId);
  await erasePathOfRuns(trx, projectId, path);
  await erasePathOfLinks(trx, projectId, path);
  await erasePathOfMessages(trx, projectId, path);
  await erasePathOfAuditLog(trx, projectId, path);
  const answersChange = await erasePathOfRules(trx, projectId, path);
  await eraseReports(trx, projectId, path.keys);
  const isJudged = await eraseJudgements(trx, projectId, path);
  if (answersChange || isJudged) await bumpIndexVersion(trx, projectId);
}

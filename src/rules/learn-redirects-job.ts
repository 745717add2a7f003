import { inTransaction } from '../platform/database/session/connect.js';
import { bumpIndexVersion, bumpIndexVersions, storeGoneShare } from '../projects/index-version.js';
import { dropStaleRedirects } from './store/clicked-redirects.js';
import { findDecidedProjects, readGoneEvidence } from './store/gone-share.js';
import { dropOldRuleHistory } from './store/rule-history.js';
import { dropStaleQuestions } from './store/clicked-questions.js';
import { lockRedirects } from '../projects/turns.js';
import {
  findLivePathKeys,
  readRecentRedirects,
  replaceSectionRedirects,
  type LearnableRedirect,
} from './store/section-redirects.js';
import type { Tenant, Tenants } from '../platform/database/session/tenants.js';
import type { IndexChanges } from '../projects/index-changes.js';
import type { Db } from '../platform/database/db.js';
import type { ProjectRange } from '../platform/database/project-range.js';
import { ofProjects, type Job } from '../platform/queue/job.js';
import type { JobQueue } from '../platform/queue/queue.js';
import { parsePageUrl } from '../text/page-url.js';
import { coverAllPaths } from './cover-paths.js';
import { isConfirmed, hasMajority } from './learned/clicked-page.js';
import { estimateGoneShare } from './learned/gone-share.js';
import { proposeSectionRedirects, type RedirectedPath } from './learned/propose-section-redirects.js';
import { weighSectionRedirects } from './learned/weigh-section-redirects.js';
import { hashPlainPath, plainPath } from '../text/paths/plain-path.js';

/**
 * Derives two things from a project's rules: its section redirects, and which rules decide about its missing paths. At
 * most one such job of a project waits, however many clicks queue it.
 */
export const learnRedirects: Job<{ projectId: string }, { tenants: Tenants; indexChanges: IndexChanges }> = {
  name: 'learn-redirects',
  policy: 'short',
  key: ({ projectId }) => projectId,
  options: {
    notify: true,
    retryLimit: 5,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 600,
    expireInSeconds: 300,
    heartbeatSeconds: 15,
    deleteAfterSeconds: 600,
  },
  work: ({ tenants, indexChanges }) => ({
    handle: async (jobs) => {
      for (const { data } of jobs) {
        await coverAllPaths(tenants.of(data.projectId), Infinity);
        await learnSectionRedirects(tenants.of(data.projectId));
        indexChanges.committed(data.projectId);
      }
    },
  }),
};

/**
 * Runs hourly. It drops hits and changes of rules from before `before`, and learned redirects and questions that no
 * click has confirmed since then; section redirects are learned again without these. From people's decisions it
 * estimates the share of paths that are gone.
 */
export async function maintainRules(
  { db, queue, indexChanges }: { db: Db; queue: JobQueue; indexChanges: IndexChanges },
  before: Date,
  slice: ProjectRange,
): Promise<void> {
  await dropOldRuleHistory(db, before, slice);
  const changed = await inTransaction(db, async (trx) => {
    const projects = await dropStaleRedirects(trx, before, slice);
    await queue.enqueue(trx, learnRedirects, ofProjects(projects));
    const changed = [...new Set([...projects, ...(await dropStaleQuestions(trx, before, slice))])].sort();
    await bumpIndexVersions(trx, changed);
    return changed;
  });
  for (const projectId of await findDecidedProjects(db, slice))
    if (await storeGoneShare(db, projectId, estimateGoneShare(await readGoneEvidence(db, projectId))))
      changed.push(projectId);
  for (const projectId of changed) indexChanges.committed(projectId);
  queue.wake(learnRedirects);
}

/**
 * The maximum number of redirects from which a run learns, the latest ones. With so many unrelated ones it took a
 * second on the embedded database.
 */
const MAX_MOVES = 10_000;

/** The weight of a path that was clicked from one search only. */
const SINGLE_CLICK_WEIGHT = 0.5;

/**
 * Compares missing paths with the rules, then replaces a project's section redirects by those that its latest redirects
 * show. Bumps the index version only if an answer may change.
 * @returns how many section redirects there are now.
 */
export async function learnSectionRedirects({ projectId, db }: Tenant): Promise<number> {
  await coverAllPaths({ projectId, db });
  return inTransaction(db, async (trx) => {
    await lockRedirects(trx, projectId);
    const moved = (await readRecentRedirects(trx, projectId, MAX_MOVES)).flatMap(toRedirectedPath);
    const proposed = proposeSectionRedirects(moved);
    const hashes = new Map(proposed.flatMap(({ misses }) => misses.map(({ path }) => [path, hashPlainPath(path)])));
    const live = await findLivePathKeys(trx, projectId, [...hashes.values()]);
    const livePaths = new Set([...hashes].filter(([, hash]) => live.has(hash.toString('hex'))).map(([path]) => path));
    const learned = weighSectionRedirects(proposed, livePaths);
    if (await replaceSectionRedirects(trx, projectId, learned)) await bumpIndexVersion(trx, projectId);
    return learned.length;
  });
}

/** A redirect overrules clicks on the same path. Paths with query strings show no sections. */
function toRedirectedPath(redirect: LearnableRedirect): RedirectedPath[] {
  const from = plainPath(redirect.old_path);
  const to = plainPath(parsePageUrl(redirect.url)?.path ?? '/');
  if (from.query !== '' || to.query !== '') return [];
  if (redirect.source === 'redirect') return [{ from: from.segments, to: to.segments, weight: 1 }];
  if (redirect.redirected || !hasMajority(redirect.clicks, redirect.all_clicks)) return [];
  const weight = isConfirmed(redirect.clicks, redirect.all_clicks) ? 1 : SINGLE_CLICK_WEIGHT;
  return [{ from: from.segments, to: to.segments, weight, byClicks: true }];
}

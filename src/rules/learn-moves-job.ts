import { inTransaction } from '../platform/database/session/connect.js';
import { bumpIndexVersion, bumpIndexVersions } from '../projects/index-version.js';
import { dropStaleMoves } from './store/clicked-moves.js';
import { dropOldRuleHistory } from './store/rule-history.js';
import { lockMoves } from '../projects/turns.js';
import { findLivePathKeys, readRecentMoves, replaceSectionMoves, type LearnableMove } from './store/section-moves.js';
import type { Tenant, Tenants } from '../platform/database/session/tenants.js';
import type { IndexChanges } from '../projects/index-changes.js';
import type { Db } from '../platform/database/db.js';
import type { ProjectRange } from '../platform/database/project-range.js';
import { ofProjects, type Job } from '../platform/queue/job.js';
import type { JobQueue } from '../platform/queue/queue.js';
import { parsePageUrl } from '../text/page-url.js';
import { isConfirmed, hasMajority } from './learned/clicked-page.js';
import { proposeSectionMoves, type MovedPath } from './learned/propose-section-moves.js';
import { weighSectionMoves } from './learned/weigh-section-moves.js';
import { hashPlainPath, plainPath } from '../text/paths/plain-path.js';

/** Derives a project's section moves. Max one such job of a project waits, however many clicks queue it. */
export const learnMoves: Job<{ projectId: string }, { tenants: Tenants; indexChanges: IndexChanges }> = {
  name: 'learn-moves',
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
        await learnSectionMoves(tenants.of(data.projectId));
        indexChanges.committed(data.projectId);
      }
    },
  }),
};

/**
 * Hourly: drops hits and changes of rules from before `before`, and moves that no click has confirmed since then. What
 * these showed of sections is learned again.
 */
export async function maintainRules(
  { db, queue, indexChanges }: { db: Db; queue: JobQueue; indexChanges: IndexChanges },
  before: Date,
  slice: ProjectRange,
): Promise<void> {
  await dropOldRuleHistory(db, before, slice);
  const changed = await inTransaction(db, async (trx) => {
    const projects = await dropStaleMoves(trx, before, slice);
    await queue.enqueue(trx, learnMoves, ofProjects(projects));
    await bumpIndexVersions(trx, projects);
    return projects;
  });
  for (const projectId of changed) indexChanges.committed(projectId);
  queue.wake(learnMoves);
}

/** The latest moves, from which a run learns. With so many unrelated ones it took a second on the embedded database. */
const MAX_MOVES = 10_000;

/** The weight of a path that was clicked from one search only. */
const SINGLE_CLICK_WEIGHT = 0.5;

/**
 * Replaces a project's section moves by those that its latest moves show. Bumps the index version only if an answer may
 * change.
 * @returns how many section moves there are now.
 */
export async function learnSectionMoves({ projectId, db }: Tenant): Promise<number> {
  return inTransaction(db, async (trx) => {
    await lockMoves(trx, projectId);
    const moved = (await readRecentMoves(trx, projectId, MAX_MOVES)).flatMap(toMovedPath);
    const proposed = proposeSectionMoves(moved);
    const hashes = new Map(proposed.flatMap(({ misses }) => misses.map(({ path }) => [path, hashPlainPath(path)])));
    const live = await findLivePathKeys(trx, projectId, [...hashes.values()]);
    const livePaths = new Set([...hashes].filter(([, hash]) => live.has(hash.toString('hex'))).map(([path]) => path));
    const learned = weighSectionMoves(proposed, livePaths);
    const changed = await replaceSectionMoves(
      trx,
      projectId,
      learned.map((move) => ({
        old_prefix: move.oldPrefix,
        new_prefix: move.newPrefix,
        support: move.support,
        contradictions: move.contradictions,
        confidence: move.confidence,
        source: move.byClicks ? ('click' as const) : ('redirect' as const),
      })),
    );
    if (changed) await bumpIndexVersion(trx, projectId);
    return learned.length;
  });
}

/** A redirect overrules clicks on the same path. Paths with query strings show no sections. */
function toMovedPath(move: LearnableMove): MovedPath[] {
  const from = plainPath(move.old_path);
  const to = plainPath(parsePageUrl(move.url)?.path ?? '/');
  if (from.query !== '' || to.query !== '') return [];
  if (move.source === 'redirect') return [{ from: from.segments, to: to.segments, weight: 1 }];
  if (move.redirected || !hasMajority(move.clicks, move.all_clicks)) return [];
  return [
    {
      from: from.segments,
      to: to.segments,
      weight: isConfirmed(move.clicks, move.all_clicks) ? 1 : SINGLE_CLICK_WEIGHT,
      byClicks: true,
    },
  ];
}

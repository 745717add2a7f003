import type { JobWithMetadata } from 'pg-boss';
import { inTransaction } from '../database/connect.js';
import type { Db } from '../database/db.js';
import { ensureWeeks, insertClicks, insertNotFounds, type ClickRow, type NotFoundRow } from '../database/queries/events.js';
import { bumpIndexVersion } from '../database/queries/index-pages.js';
import type { IndexChanges } from '../index-changes.js';
import { learnClicks } from '../moves/learn-clicks.js';
import { learnMoves, type RecordEventPayload } from './kinds.js';
import type { JobQueue } from './queue.js';

/**
 * Stores a batch of events and learns from the clicks. A job that runs again stores and counts nothing twice: the
 * event's identifier and moment are the job's own.
 */
export async function recordEvents(deps: { db: Db; queue: JobQueue; indexChanges: IndexChanges }, jobs: readonly JobWithMetadata<RecordEventPayload>[]): Promise<void> {
  const clicks: ClickRow[] = [];
  const notFounds: NotFoundRow[] = [];
  let earliest = Infinity;
  let latest = -Infinity;
  for (const { data } of jobs) {
    earliest = Math.min(earliest, Date.parse(data.receivedAt));
    latest = Math.max(latest, Date.parse(data.receivedAt));
    const common = {
      project_id: data.projectId,
      event_id: data.eventId,
      received_at: data.receivedAt,
      raw_path: data.event.rawPath,
      origin: data.event.origin,
      is_test: data.isTest,
    };
    if (data.event.type === 'click') {
      const { clickedUrl, clickedRank, searchId, occurredAt } = data.event;
      clicks.push({ ...common, clicked_url: clickedUrl, clicked_rank: clickedRank, search_id: searchId, occurred_at: occurredAt });
    } else {
      const { referrer, userAgent, visitorIp } = data.event;
      notFounds.push({ ...common, referrer, user_agent: userAgent, visitor_ip: visitorIp });
    }
  }
  // Usually made ahead by house-keeping; an event that waited for weeks brings its own.
  await ensureWeeks(deps.db, new Date(earliest), new Date(latest));
  const changed = await inTransaction(deps.db, async (trx) => {
    const stored = await insertClicks(trx, clicks);
    await insertNotFounds(trx, notFounds);
    const changes = await learnClicks(trx, clicks.filter((click) => stored.has(click.event_id)));
    if (changes.size === 0) return changes;
    await deps.queue.enqueue(trx, learnMoves, [...changes.keys()].map((projectId) => ({ projectId })));
    for (const [projectId, change] of changes) if (change === 'confirmed') await bumpIndexVersion(trx, projectId);
    return changes;
  });
  for (const projectId of changed.keys()) deps.indexChanges.committed(projectId);
  if (changed.size > 0) deps.queue.wake(learnMoves);
}

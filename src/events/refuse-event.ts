import type { JobResult } from 'pg-boss';
import { sqlState } from '../platform/database/session/database-errors.js';
import { insertRefusedEvent } from './store/history-days.js';
import type { EventJob, RecordDeps } from './record-event-job.js';
import { messageOf } from '../base/errors.js';

/** Classes of SQLSTATE (its first two characters) that no retry can cure. */
const PERMANENT: Record<string, string> = {
  22: 'a value that its column does not take',
  23: 'a constraint refuses it',
  54: 'longer than the database can store or index',
};
/** For other errors: a retry may succeed, but must not go on for days. */
const MAX_TRIES = 5;

/**
 * Handles an event that failed alone: retries it, or moves it to `refused_events` for an operator. The database's
 * message may quote the event's content, so it is not logged.
 */
export async function refuseEvent(deps: RecordDeps, job: EventJob, error: unknown): Promise<JobResult> {
  const { projectId, eventId, receivedAt, event } = job.data;
  const state = sqlState(error) ?? 'none';
  const known = PERMANENT[state.slice(0, 2)];
  const reason = known ?? 'an error that is not about its content';
  const about = { project_id: projectId, event_id: eventId, type: event.type, reason, sqlstate: state };
  if (known === undefined && job.retryCount + 1 < MAX_TRIES) {
    deps.logger.warn('an event could not be stored and is tried again', { ...about, attempt: job.retryCount + 1 });
    return { id: job.id, status: 'failed', output: { message: `${reason}: ${state}` } };
  }
  const text = messageOf(error);
  await insertRefusedEvent(
    deps.db,
    {
      project_id: projectId,
      event_id: eventId,
      received_at: receivedAt,
      reason: `${reason}: ${text.slice(0, 500)} (SQLSTATE ${state})`,
      event: job.data,
    },
    deps.history.bytesPerDay,
  );
  deps.metrics.eventsRefused.inc();
  deps.logger.warn('an event cannot be stored and was set aside in pathmend.refused_events', about);
  return { id: job.id, status: 'completed' };
}

import { stateOf } from '../../sync/request-sync.js';
import type { SyncRunRow } from '../../sync/store/sync-runs.js';
import { badge, type Tone } from './components.js';
import type { Html } from '../../text/html.js';

const MINUTE_MS = 60_000;
/** If pages wait longer than this, the worker does not keep up, or no worker runs. */
export const LATE_MS = 10 * MINUTE_MS;

/** Writes how long ago something was: `3 minutes`, `2 hours`, `5 days`. */
export function ago(at: Date, now: number): string {
  const minutes = Math.max(0, Math.round((now - at.getTime()) / MINUTE_MS));
  if (minutes < 1) return 'less than a minute';
  if (minutes < 120) return minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}

/** A badge with the state of a project. `isEmpty`: it has no page, perhaps because a sync of its address found none. */
export function healthBadge(
  { plan, waiting_since, isEmpty }: { plan: string | null; waiting_since: Date | null; isEmpty: boolean },
  now: number,
): Html {
  if (plan === null) return badge('no plan: searches refused', 'bad');
  if (waiting_since !== null && now - waiting_since.getTime() > LATE_MS)
    return badge(`index ${ago(waiting_since, now)} behind`, 'bad');
  if (isEmpty) return badge('no pages', 'bad');
  return waiting_since === null ? badge('healthy', 'good') : badge('indexing', 'waiting');
}

const OUTCOMES: Readonly<Record<string, Tone>> = { done: 'good', incomplete: 'waiting', failed: 'bad' };

/** A badge with the outcome of a sync, or its state if it has not ended. */
export function outcomeOf(run: SyncRunRow): Html {
  const { outcome } = run;
  if (outcome === null) return badge(stateOf(run) === 'waiting' ? 'waiting for a worker' : 'running', 'waiting');
  return badge(outcome, OUTCOMES[outcome] ?? 'quiet');
}

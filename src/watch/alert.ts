import type { Digest } from './digest.js';
import type { DeadTarget } from './store/alert-facts.js';

export const ALERT_KINDS = ['not_found_spike', 'dead_target', 'refused_prune', 'page_error'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** What each kind of alert is about, as the webhook and the console tell it. */
export interface Causes {
  /** `hour`: its beginning. `usual`: the median of that hour in the weeks before. */
  not_found_spike: { hour: string; not_founds: number; usual: number };
  dead_target: DeadTarget;
  /** A sync that was to delete pages and did not. `reason`: why, for people. */
  refused_prune: { gone: number; pages: number; reason: string };
  page_error: { url: string; error: string | null };
}
export type Cause = Causes[AlertKind];

export interface FoundAlert<Kind extends AlertKind = AlertKind> {
  /** The same as long as the cause is. */
  key: string;
  cause: Causes[Kind];
}

/** What people choose from. */
export const ALERT_NAMES: Readonly<Record<AlertKind, string>> = {
  not_found_spike: 'Many more 404s of people than at this hour of other days',
  dead_target: 'A redirect to a page that was deleted or has an error',
  refused_prune: 'A sync that would delete too many pages, and did not',
  page_error: 'Pages that could not be indexed for an hour',
};

/** A cause in one line. */
export function describeCause(kind: AlertKind, cause: Cause): string {
  switch (kind) {
    case 'not_found_spike': {
      const { hour, not_founds, usual } = cause as Causes[typeof kind];
      const from = hour.slice(0, 16).replace('T', ' ');
      return `${not_founds} 404s of people in the hour from ${from} UTC; ${usual} are usual`;
    }
    case 'dead_target': {
      const { path, target, why } = cause as Causes[typeof kind];
      return `${path} → ${target} (${why === 'deleted' ? 'the page was deleted' : 'the page has an error'})`;
    }
    case 'refused_prune':
      return (cause as Causes[typeof kind]).reason;
    case 'page_error': {
      const { url, error } = cause as Causes[typeof kind];
      return error === null ? url : `${url}: ${error}`;
    }
  }
}

/** What is told to people and programs, as it is stored until it is delivered. `at`: ISO 8601. */
export type Message =
  | { type: 'alert.began' | 'alert.ended'; at: string; kind: AlertKind; count: number; causes: Cause[] }
  /** The last of a day. */
  | { type: 'alerts.held'; at: string }
  | { type: 'digest'; at: string; digest: Digest }
  | { type: 'test'; at: string };

export interface About {
  project: { id: string; name: string };
  /** CONSOLE_URL without a slash at its end; undefined: not set. */
  consoleUrl: string | undefined;
}

/** The body of a webhook. */
export function webhookBody({ type, at, ...data }: Message, { project, consoleUrl }: About): string {
  const url = consoleUrl === undefined ? {} : { console_url: `${consoleUrl}/p/${project.id}/watch` };
  return JSON.stringify({ type, timestamp: at, data: { project, ...url, ...data } });
}

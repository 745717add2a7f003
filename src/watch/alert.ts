import type { Digest } from './digest.js';
import type { BrokenTarget } from './store/alert-facts.js';

/** Each kind of alert has a cause, which the webhook and the console show. */
export interface Causes {
  /** `hour`: its beginning. `usual`: the median of that hour in the weeks before. */
  not_found_spike: { hour: string; not_founds: number; usual: number };
  dead_target: BrokenTarget;
  /** A sync that was to delete pages and did not. `reason`: why, for people. */
  refused_prune: { gone: number; pages: number; reason: string };
  sync_failed: { source: string; reason: string };
  page_error: { url: string; error: string | null };
}
export type AlertKind = keyof Causes;
export type Cause = Causes[AlertKind];

export interface FoundAlert<Kind extends AlertKind = AlertKind> {
  /** A text that stays the same as long as the cause does. */
  key: string;
  cause: Causes[Kind];
}

interface Alert<Kind extends AlertKind> {
  /** People choose alerts by this name. */
  name: string;
  /** The conditions under which the alert begins and is over, for people: docs/operate/watch.md. */
  begins: string;
  isOver: string;
  /** A cause in one line. */
  describe: (cause: Causes[Kind]) => string;
}

const ALERTS: Readonly<{ [Kind in AlertKind]: Alert<Kind> }> = {
  not_found_spike: {
    name: 'Many more 404s from people than at this hour of other days',
    begins:
      'an hour has at least 20 404s from people, more than twice the median of that hour over 28 days and over the same weekdays, and a modified z-score above 3.5; needs a week of data',
    isOver: 'an hour passes without it',
    describe: ({ hour, not_founds, usual }) => {
      const from = hour.slice(0, 16).replace('T', ' ');
      return `${not_founds} 404s from people in the hour from ${from} UTC; ${usual} are usual`;
    },
  },
  dead_target: {
    name: 'A redirect to a page that was deleted or has an error',
    begins: 'the target page of a redirect was deleted or is in `ERROR`',
    isOver: 'the page is back or the rule is deleted',
    describe: ({ path, target, why }) =>
      `${path} → ${target} (${why === 'deleted' ? 'the page was deleted' : 'the page has an error'})`,
  },
  refused_prune: {
    name: 'A sync that would delete too many pages, and did not',
    begins:
      'a sync with `--prune` deleted nothing: it would have deleted more than a fifth of the pages or some held back before, or could not read the source',
    isOver: 'the next sync succeeds',
    describe: ({ reason }) => reason,
  },
  sync_failed: {
    name: 'A sync of the source that failed',
    begins: 'a scheduled sync fails, for example because the site cannot be read',
    isOver: 'the next sync succeeds or the source is removed',
    describe: ({ source, reason }) => `${source}: ${reason}`,
  },
  page_error: {
    name: 'Pages that could not be indexed for an hour',
    begins: 'a page has been in `ERROR` for an hour',
    isOver: 'it is indexed or deleted',
    describe: ({ url, error }) => (error === null ? url : `${url}: ${error}`),
  },
};

export const ALERT_KINDS = Object.keys(ALERTS) as AlertKind[];

/** Finds the alert of a kind that is known by its name alone. */
export function alertOf(kind: AlertKind): Alert<AlertKind> {
  return ALERTS[kind] as Alert<AlertKind>;
}

/** A message to people and programs, as it is stored until it is delivered. `at`: ISO 8601. */
export type Message =
  | { type: 'alert.began' | 'alert.ended'; at: string; kind: AlertKind; count: number; causes: Cause[] }
  /** The last message of a day, when the limit is reached. */
  | { type: 'alerts.held'; at: string }
  | { type: 'digest'; at: string; digest: Digest }
  | { type: 'test'; at: string };

/** The names of the types of messages, for people. */
export const MESSAGE_NAMES: Readonly<Record<Message['type'], string>> = {
  'alert.began': 'Alert',
  'alert.ended': 'End of an alert',
  'alerts.held': 'No more today',
  digest: 'Digest',
  test: 'Test',
};

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

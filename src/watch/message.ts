import type { AlertKind, Cause } from './alert.js';
import type { Digest } from './digest.js';

/** What is told to people and programs, as it is stored until it is delivered. `at`: ISO 8601. */
export type Message =
  | { type: 'alert.began' | 'alert.ended'; at: string; kind: AlertKind; count: number; causes: Cause[] }
  /** The last of a day. */
  | { type: 'alerts.held'; at: string }
  | { type: 'digest'; at: string; digest: Digest }
  | { type: 'test'; at: string };

/** Of a message; the others are counted. */
const MAX_CAUSES = 20;

export function alertMessage(
  type: 'alert.began' | 'alert.ended',
  kind: AlertKind,
  causes: readonly Cause[],
  now: number,
): Message {
  return { type, at: new Date(now).toISOString(), kind, count: causes.length, causes: causes.slice(0, MAX_CAUSES) };
}

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

import { createHash } from 'node:crypto';
import type { SessionClient } from './session-client.js';

/** Generic plans are discarded at this age: their tables may have grown from nothing since. */
const MAX_PLAN_AGE_MS = 10_000;
/** Hexadecimal digits of a statement's hash. */
const NAME_LENGTH = 16;

/** Under which name a statement is prepared. */
export function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, NAME_LENGTH);
}

/**
 * The statement that discards the session's plans, when they are old. Behind a pooler it may meet another session than
 * the last time. All connections send it, so that a session's plans grow as old on average.
 */
export function plansAreOld({ plans }: Pick<SessionClient, 'plans'>): string[] {
  if (performance.now() - plans.from <= MAX_PLAN_AGE_MS) return [];
  plans.from = performance.now();
  return ['discard plans'];
}

import { isbot } from 'isbot';
import type { Visitor } from '../glossary.js';

/** Who sent a user agent: what calls itself a browser is a person; null when there is no user agent. */
export function visitorOf(userAgent: string | null): Visitor | null {
  if (userAgent === null || userAgent.trim() === '') return null;
  return isbot(userAgent) ? 'robot' : 'person';
}

import { LRUCache } from 'lru-cache';
import type { Response } from 'express';
import type { Caller } from '../projects/caller.js';
import type { Logger } from '../base/logger.js';
import { contextOf } from './request-context.js';

/** Names a request's unknown fields in a header and in the log. */
export type FieldWarnings = (response: Response, caller: Caller, warning: string) => void;

const MAX_REMEMBERED = 10_000;
const HOUR_MS = 3_600_000;

/**
 * Logs once an hour for each key and operation: a caller sends such a field with every request.
 * @param now monotonic milliseconds.
 */
export function createFieldWarnings(logger: Logger, now: () => number = () => performance.now()): FieldWarnings {
  const loggedAt = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  return (response, { keyId, projectId }, warning) => {
    response.setHeader('X-Pathmend-Warning', warning);
    const { route, requestId } = contextOf(response);
    const id = `${keyId} ${route}`;
    const last = loggedAt.get(id);
    if (last !== undefined && now() - last < HOUR_MS) return;
    loggedAt.set(id, now());
    logger.warn('a request has fields that are ignored', {
      request_id: requestId,
      route,
      project_id: projectId,
      key_id: keyId,
      warning,
    });
  };
}

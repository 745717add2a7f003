import type { Response } from 'express';
import type { InFlightBytes } from '../load/in-flight-bytes.js';
import { contextOf, whenClosed } from './request-context.js';

/**
 * Sends a text that is JSON already. What Express adds in `response.json` (ETags, 304, JSONP's escapes) is not used
 * here, and costs as much as finding the answer in the cache.
 */
export function sendJson(response: Response, text: string): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/**
 * Counts an answer among the in-flight bytes until its caller has read it or the connection ends.
 * @throws ApiError overloaded when there is no room for it.
 */
export function holdUntilTaken(response: Response, budget: InFlightBytes, bytes: number): void {
  const held = budget.hold(contextOf(response).projectId ?? '');
  held.add(bytes);
  whenClosed(response, held.release);
}

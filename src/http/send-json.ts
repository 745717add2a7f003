import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { InFlightBytes } from '../platform/limits/in-flight-bytes.js';
import { contextOf, whenClosed } from './request-context.js';

/**
 * Sends text that is already JSON. Express's `response.json` adds ETags, 304 and JSONP escapes, which are not needed
 * and take as long as a cache hit.
 */
export function sendJson(response: Response, text: string): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** Bytes that are written at once. */
const MAX_AT_ONCE = 1_000_000;

/** The same of an answer that may be too large for one text: its pieces in turn, each when the last one was read. */
export async function sendJsonPieces(response: Response, pieces: readonly Buffer[]): Promise<void> {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes);
  if (bytes <= MAX_AT_ONCE) response.end(Buffer.concat(pieces));
  // Its caller may go away meanwhile.
  else await pipeline(Readable.from(pieces), response).catch(() => undefined);
}

/**
 * Counts an answer among the in-flight bytes until its caller has read it or the connection ends.
 * @throws ApiError overloaded when there is no room for it.
 */
export function holdUntilSent(response: Response, budget: InFlightBytes, bytes: number): void {
  const held = budget.hold(contextOf(response).projectId ?? '');
  held.add(bytes);
  whenClosed(response, held.release);
}

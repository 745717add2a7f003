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

/** The same of an answer that is too large for one text: its pieces in turn, each when its caller has read the last. */
export async function sendJsonPieces(response: Response, pieces: readonly Buffer[]): Promise<void> {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader(
    'Content-Length',
    pieces.reduce((sum, piece) => sum + piece.length, 0),
  );
  // Its caller may go away meanwhile.
  await pipeline(Readable.from(pieces), response).catch(() => undefined);
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

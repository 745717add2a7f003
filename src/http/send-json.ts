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

/** The same of an answer that is too large for one text: its pieces in turn. */
export function sendJsonPieces(response: Response, pieces: readonly Buffer[]): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader(
    'Content-Length',
    pieces.reduce((sum, piece) => sum + piece.length, 0),
  );
  for (const piece of pieces) response.write(piece);
  response.end();
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

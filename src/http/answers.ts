import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response, NextFunction, Request } from 'express';
import type { InFlightBytes } from '../platform/limits/in-flight-bytes.js';
import { contextOf, whenClosed } from './request-context.js';
import { EmbedderCrashed, EmbedderOverloaded, EmbedderTimeout } from '../embedding/embedder-errors.js';
import {
  isDatabaseUnavailable,
  isDatabaseBusy,
  isDiskFull,
  isProjectGone,
} from '../platform/database/session/database-errors.js';
import { ApiError, overloaded } from '../base/errors.js';
import type { Logger } from '../base/logger.js';

/** Sends text that is JSON. `response.json` adds ETags, 304 and JSONP escapes, which takes as long as a cache hit. */
export function sendJson(response: Response, text: string): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** Smaller answers are written at once. */
const MAX_AT_ONCE = 1_000_000;

/** Sends JSON that may be too large for one text in pieces, each when the caller has read the last one. */
export async function sendJsonPieces(response: Response, pieces: readonly Buffer[]): Promise<void> {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes);
  if (bytes <= MAX_AT_ONCE) response.end(Buffer.concat(pieces));
  // The caller may go away meanwhile.
  else await pipeline(Readable.from(pieces), response).catch(() => undefined);
}

/** Counts an answer's bytes as in flight until it is read or the connection ends. @throws ApiError overloaded */
export function holdUntilSent(response: Response, budget: InFlightBytes, bytes: number): void {
  const held = budget.hold(contextOf(response).projectId ?? '');
  held.add(bytes);
  whenClosed(response, held.release);
}

export const NO_SUCH_PATH = 'There is no such path; the API begins with /v1.';

/** The only place that renders errors. An error other than an ApiError is logged whole and answered without detail. */
export function errorHandler(logger: Logger) {
  return (error: unknown, _request: Request, response: Response, next: NextFunction): void => {
    // The caller has gone, and its search was aborted: nothing went wrong.
    if (response.closed && error instanceof Error && error.name === 'AbortError') return;
    if (response.headersSent) {
      next(error);
      return;
    }
    const known = toApiError(error);
    const body = { error: renderError(known, response, logger) };
    response.status(known.status).set(known.headers).json(body);
  };
}

/** Makes the JSON of an error for the caller. Our own faults are logged, and answered without detail. */
export function renderError(error: unknown, response: Response, logger: Logger) {
  const known = toApiError(error);
  const { requestId } = contextOf(response);
  if (known.status === 500) logger.error('request failed', { request_id: requestId, error: known.cause ?? known });
  const details = known.code === 'internal_error' ? { request_id: requestId } : known.details;
  return { code: known.code, message: known.message, param: known.param, details };
}

/** Makes an error for the caller. An error that is not meant for callers becomes an internal error. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof EmbedderOverloaded || error instanceof EmbedderTimeout || error instanceof EmbedderCrashed)
    return overloaded(error);
  if (isDatabaseBusy(error)) return overloaded(error);
  if (isUndecodablePath(error)) return new ApiError('not_found', { message: NO_SUCH_PATH });
  if (isProjectGone(error))
    return new ApiError('invalid_api_key', {
      message: 'The project of this API key was deleted meanwhile.',
      cause: error,
    });
  const away = isDatabaseUnavailable(error) ? 'The database cannot be reached at the moment.' : undefined;
  const message = isDiskFull(error) ? 'The database has no space left on its disk.' : away;
  return new ApiError('internal_error', { message, cause: error });
}

/** Express's router fails at `/v1/pages/%zz`, with a status that it gives to nothing else. */
function isUndecodablePath(error: unknown): boolean {
  return error instanceof URIError && 'status' in error && error.status === 400;
}

import type { NextFunction, Request, Response } from 'express';
import { EmbedderCrashed, EmbedderOverloaded, EmbedderTimeout } from '../embedding/errors.js';
import { sqlState } from '../database/connect.js';
import { ApiError, overloaded } from '../errors.js';
import type { Logger } from '../logger.js';
import { contextOf } from './request-context.js';

/**
 * SQLSTATE classes and codes, and errors of the socket, that mean: the database is away, not: the request is wrong. A
 * replica that the address leads to says 25006 of writes, and 0A000 of admission's unlogged buckets.
 */
const DATABASE_AWAY =
  /^(08|57P|53|25006|25P03|0A000|ECONNREFUSED$|ECONNRESET$|ENOENT$|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|ENOTFOUND$|EAI_AGAIN$)/;
/** What pg says of it in words only. */
const CONNECTION_LOST = /timeout exceeded when trying to connect|Connection terminated|not queryable/;
const DISK_FULL = '53100';

/** The only place that renders errors. What is not an ApiError is logged whole and answered without any detail. */
export function errorHandler(logger: Logger) {
  return (error: unknown, _request: Request, response: Response, next: NextFunction): void => {
    // The caller went away and its search was given up for that: nobody is there to be told, and nothing went wrong.
    if (response.closed && error instanceof Error && error.name === 'AbortError') return;
    if (response.headersSent) {
      next(error);
      return;
    }
    const known = toApiError(error);
    const { requestId } = contextOf(response);
    if (known.status === 500) logger.error('request failed', { request_id: requestId, error });
    const details = known.code === 'internal_error' ? { request_id: requestId } : known.details;
    response
      .status(known.status)
      .set(known.headers)
      .json({
        error: {
          code: known.code,
          message: known.message,
          ...(known.param === undefined ? {} : { param: known.param }),
          ...(details === undefined ? {} : { details }),
        },
      });
  };
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof EmbedderOverloaded || error instanceof EmbedderTimeout || error instanceof EmbedderCrashed) {
    return overloaded(error);
  }
  const state = sqlState(error);
  if (state === DISK_FULL) return new ApiError('internal_error', { message: 'The database has no space left on its disk.', cause: error });
  const away = (state !== undefined && DATABASE_AWAY.test(state)) || (error instanceof Error && CONNECTION_LOST.test(error.message));
  return away
    ? new ApiError('internal_error', { message: 'The database cannot be reached at the moment.', cause: error })
    : new ApiError('internal_error', { cause: error });
}

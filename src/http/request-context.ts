import { randomUUID } from 'node:crypto';
import type { Response } from 'express';
import { isWellFormedKey } from '../keys/api-key.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import type { App } from './admission-queue.js';

/** What is known of a request beside what Express knows. Kept in `response.locals.context`. */
export interface RequestContext {
  requestId: string;
  startedAt: number;
  /** The route's path as it was declared, for metrics and logs; never the visitor's own text. */
  route: string;
  projectId?: string;
  /** The body, once it is parsed, until it is checked. */
  body?: Record<string, unknown> | undefined;
  /** What is done when the answer is taken, or its caller has gone: one listener for all. */
  whenClosed: (() => void)[];
}

const SAFE_ID = /^[\w.-]{1,64}$/;

export function contextOf(response: Response): RequestContext {
  return (response.locals as { context: RequestContext }).context;
}

/** Does something when the answer is taken, or its caller has gone; now, where that has been. */
export function whenClosed(response: Response, run: () => void): void {
  if (response.closed) run();
  else contextOf(response).whenClosed.push(run);
}

/**
 * Gives every request an id (the caller's own, if it is harmless and no key) and logs its end. Called before Express,
 * which leaves `locals` alone where there are some: as its middleware it took 5 µs of a cached answer's 90.
 */
export function requestContext(logger: Logger, metrics: Metrics): App {
  return (request, response, startedAt) => {
    // Node gives a list of values for one header only, which this is not.
    const given = request.headers['x-request-id'] as string | undefined;
    const context: RequestContext = {
      requestId: given !== undefined && SAFE_ID.test(given) && !isWellFormedKey(given) ? given : randomUUID(),
      startedAt,
      route: 'unknown',
      whenClosed: [],
    };
    Object.assign(response, { locals: { context } });
    response.setHeader('X-Request-Id', context.requestId);
    response.on('close', () => {
      for (const run of context.whenClosed) run();
      const seconds = (performance.now() - context.startedAt) / 1000;
      // A caller that went away before the answer: the status was never sent.
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.requests.inc({ route: context.route, method: request.method ?? '', status: String(status) });
      metrics.requestSeconds.observe({ route: context.route }, seconds);
      // Refusals come by the thousand when there is too much: metrics count them.
      logger[status >= 500 && status !== 503 ? 'warn' : context.route.startsWith('/v1') ? 'info' : 'debug']('request', {
        request_id: context.requestId,
        method: request.method,
        route: context.route,
        status,
        took_ms: Math.round(seconds * 1e5) / 100,
        ...(context.projectId === undefined ? {} : { project_id: context.projectId }),
      });
    });
  };
}

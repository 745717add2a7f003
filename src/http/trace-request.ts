import type { Request, Response } from 'express';
import type { Span } from '../platform/telemetry/span.js';
import type { Tracer } from '../platform/telemetry/tracer.js';
import { contextOf, statusOf, whenClosed } from './request-context.js';

/** Begins the span of a request, in its caller's trace if it names one, and ends it with the answer. */
export function traceRequest(tracer: Tracer, request: Request, response: Response): Span {
  const { route, startedAt, requestId } = contextOf(response);
  const span = tracer.begin(`${request.method} ${route}`, 'server', request.headers['traceparent'], { startedAt });
  whenClosed(response, () => {
    const { projectId } = contextOf(response);
    const status = statusOf(response);
    const failed = status >= 500;
    const attributes = {
      'http.request.method': request.method,
      'http.route': route,
      'http.response.status_code': status,
      'pathmend.request.id': requestId,
      ...(projectId !== undefined && { 'pathmend.project.id': projectId }),
      ...(failed && { 'error.type': String(status) }),
    };
    span.end(attributes, failed);
  });
  return span;
}

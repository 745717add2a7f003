import { currentScope } from '../telemetry/scope.js';
import { formatTraceparent } from '../telemetry/trace-context.js';

/** The request that a job comes from, kept with its payload. A waiting job that stands for several has the first's. */
export interface Cause {
  request_id?: string | undefined;
  traceparent?: string | undefined;
}

/** The payload as it is queued: with its cause, where there is one; that of one who gathered payloads stays. */
export function withCause<Payload extends object>(payload: Payload): Payload {
  const { requestId, span } = currentScope() ?? {};
  if ('cause' in payload || (requestId === undefined && !span)) return payload;
  const cause: Cause = { request_id: requestId, traceparent: span && formatTraceparent(span.context) };
  return { ...payload, cause };
}

export function causeOf(payload: object): Cause {
  const { cause } = payload as { cause?: Cause };
  return typeof cause === 'object' ? cause : {};
}

import { currentScope, type Span } from '../../telemetry/tracing.js';

/** Matches ids that are safe in a comment. A caller's id may neither end the comment nor begin anything else. */
const HARMLESS = /^[\w.-]{1,64}$/;

/**
 * Sends a statement with a comment that names its request (in the format of sqlcommenter, which shows in
 * pg_stat_activity and in PostgreSQL's log), and as a span of the request's trace. Without a scope it is sent as it is.
 * @param isKept is true for a statement with a kept plan, which gets no comment.
 * @param pid is the process id of the session on the server.
 */
export function traced<Result>(
  text: string,
  isKept: boolean,
  pid: number | undefined,
  send: (text: string) => Promise<Result>,
): Promise<Result> {
  const scope = currentScope();
  if (!scope) return send(text);
  const summary = scope.span?.sampled ? summaryOf(text) : '';
  const span = scope.span?.child(summary, 'client');
  const commented = isKept ? text : text + commentOf(scope.requestId, span);
  return span ? inSpan(span, summary, pid, send(commented)) : send(commented);
}

async function inSpan<Result>(span: Span, summary: string, pid: number | undefined, sent: Promise<Result>) {
  const [operation = ''] = summary.split(' ', 1);
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.summary': summary,
    ...(pid !== undefined && { 'pathmend.session.pid': pid }),
  };
  try {
    const result = await sent;
    span.end(attributes);
    return result;
  } catch (error) {
    // The span gets the code alone: a message may quote values.
    span.end({ ...attributes, 'error.type': codeOf(error) }, true);
    throw error;
  }
}

function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name);
}

function commentOf(requestId: string | undefined, span: Span | undefined): string {
  const parts = [];
  if (requestId !== undefined && HARMLESS.test(requestId)) parts.push(`request_id='${requestId}'`);
  if (span) parts.push(`traceparent='${span.traceparent}'`);
  return parts.length === 0 ? '' : `\n/*${parts.join(',')}*/`;
}

/** Summarizes a statement by its first change, such as `insert pathmend.pages`; else by its kind and first table. */
function summaryOf(text: string): string {
  const [, change, changed] =
    /\b(insert|update|delete)(?: into| from)? "?((?:pathmend|pgboss)"?\."?[a-z_]+)/i.exec(text) ?? [];
  if (change !== undefined && changed !== undefined) return `${change.toLowerCase()} ${changed.replaceAll('"', '')}`;
  const operation = /^\s*([a-z]+)/i.exec(text)?.[1]?.toLowerCase() ?? 'statement';
  const table = /\b(?:from|into|update|join) "?((?:pathmend|pgboss)"?\."?[a-z_]+)/i.exec(text)?.[1];
  return table === undefined ? operation : `${operation} ${table.replaceAll('"', '')}`;
}

import { SPAN_KINDS, type Attributes, type EndedSpan } from './span.js';

const STATUS_ERROR = 2;

/**
 * The body of an export (OTLP/HTTP 1.x in JSON): ids in hexadecimal, 64-bit numbers as text, enums as numbers.
 * https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export function toOtlp(resource: Readonly<Record<string, string>>, spans: readonly EndedSpan[]): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'pathmend' }, spans: spans.map(spanOf) }],
      },
    ],
  };
}

function spanOf({ context, parentId, name, kind, startedAt, endedAt, attributes, links, failed }: EndedSpan): object {
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: SPAN_KINDS[kind],
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: attributesOf(attributes),
    ...(links.length > 0 && { links: links.map(({ traceId, spanId }) => ({ traceId, spanId })) }),
    status: failed ? { code: STATUS_ERROR } : {},
  };
}

function attributesOf(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(Math.round(value)) },
  }));
}

/** A double holds milliseconds since 1970 to a quarter of a microsecond. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}

import { SpanExporter } from './span-exporter.js';
import { Span, type SpanKind } from './span.js';
import { beginContext, parseTraceparent, type Sampler, type TraceContext } from './trace-context.js';

/** From the standard settings OTEL_… (docs/settings.md). */
export interface TracingOptions {
  /** Where spans are posted. */
  url: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  sampler: Sampler;
  /** 0 to 1. */
  ratio: number;
  /** What the process is, `service.name` among it. */
  resource: Readonly<Record<string, string>>;
}

export type Warn = (message: string, fields: Record<string, unknown>) => void;

export interface Tracer {
  /**
   * Begins a span.
   * @param traceparent of what caused it: as a caller or a job gave it, unchecked.
   * @param startedAt monotonic.
   */
  begin(
    name: string,
    kind: SpanKind,
    traceparent?: unknown,
    more?: { startedAt?: number; links?: readonly TraceContext[] },
  ): Span;
  /** Spans that were exported, and those lost: the queue was full, or the receiver did not take them. */
  stats(): { exported: number; lost: number };
  /** Sends what waits. */
  stop(): Promise<void>;
}

/** @param warn is told when spans cannot be exported, and when they are again. */
export function createTracer(options: TracingOptions, warn: Warn): Tracer {
  const exporter = new SpanExporter(options, warn);
  const { sampler, ratio } = options;
  const ended = exporter.add.bind(exporter);
  return {
    begin: (name, kind, traceparent, more = {}) => {
      const parent = parseTraceparent(traceparent);
      const context = beginContext(sampler, ratio, parent);
      return new Span(context, name, kind, ended, { ...more, parentId: parent?.spanId });
    },
    stats: () => exporter.stats(),
    stop: () => exporter.stop(),
  };
}

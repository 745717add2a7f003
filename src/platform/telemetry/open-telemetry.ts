import { setTimeout as pause } from 'node:timers/promises';
import * as api from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { getSharedConfigurationDefaults, OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { createOtlpHttpExportDelegate, httpAgentFactoryFromOptions } from '@opentelemetry/otlp-exporter-base/node-http';
import { JsonTraceSerializer, TraceExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import * as sdk from '@opentelemetry/sdk-trace';
import type { Logger } from '../../base/logger.js';
import type { Attributes, Sampler, Span, SpanKind, Tracer, TracingOptions } from './tracing.js';

/** The max spans that wait to be exported: OpenTelemetry's own default (OTEL_BSP_MAX_QUEUE_SIZE). */
const MAX_WAITING = 2_048;
/** The max time to export the waiting spans at the end: the process ends within 10 s of SIGTERM. */
const MAX_STOP_MS = 2_000;

const KINDS: Record<SpanKind, api.SpanKind> = {
  server: api.SpanKind.SERVER,
  client: api.SpanKind.CLIENT,
  consumer: api.SpanKind.CONSUMER,
};

/** Creates a tracer. It logs when spans cannot be exported, and when they can be again. */
export function createTracer(options: TracingOptions, logger: Pick<Logger, 'warn'>): Tracer {
  const { sampler, ratio, resource } = options;
  const queue = new CountedQueue(createExporter(options), logger);
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes(resource),
    sampler: samplerOf(sampler, ratio),
    spanProcessors: [queue],
  });
  const tracer = provider.getTracer('pathmend');
  return {
    begin: (name, kind, traceparent, { startedAt, links = [] } = {}) =>
      new TracedSpan(tracer, name, kind, contextOf(traceparent), {
        startTime: startedAt ?? performance.now(),
        links: links.flatMap((link) => contextOf(link) ?? []).map((context) => ({ context })),
      }),
    stats: () => ({ exported: queue.exported, lost: queue.lost }),
    stop: async () => {
      const late = pause(MAX_STOP_MS, undefined, { ref: false });
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
}

/** Makes OpenTelemetry's exporter, which also reads the environment: headers, compression, certificates. */
function createExporter({ url, headers, timeoutMs }: TracingOptions): sdk.SpanExporter {
  const posted = {
    ...getSharedConfigurationDefaults(),
    url,
    headers: () => Promise.resolve({ ...headers, 'Content-Type': 'application/json' }),
    timeoutMillis: timeoutMs,
    agentFactory: httpAgentFactoryFromOptions({ keepAlive: true }),
  };
  const kind = 'otlp_http_span_exporter';
  const send = createOtlpHttpExportDelegate(posted, JsonTraceSerializer, kind, TraceExporterMetricsHelper, undefined);
  return new OTLPExporterBase(send);
}

/** Parses a traceparent. Undefined where the text is not one: then a new trace begins. */
function contextOf(traceparent: unknown): api.SpanContext | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > 512) return undefined;
  const context = parseTraceParent(traceparent.trim());
  return context ? { ...context, isRemote: true } : undefined;
}

function samplerOf(name: Sampler, ratio: number): sdk.Sampler {
  const sampler = name.endsWith('always_on')
    ? new sdk.AlwaysOnSampler()
    : name.endsWith('always_off')
      ? new sdk.AlwaysOffSampler()
      : new sdk.TraceIdRatioBasedSampler(ratio);
  return name.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root: sampler }) : sampler;
}

class TracedSpan implements Span {
  readonly sampled: boolean;
  readonly traceId: string;
  readonly traceparent: string;
  readonly #tracer: api.Tracer;
  readonly #span: api.Span;

  constructor(tracer: api.Tracer, name: string, kind: SpanKind, parent?: api.SpanContext, more?: api.SpanOptions) {
    const within = parent ? api.trace.setSpanContext(api.ROOT_CONTEXT, parent) : api.ROOT_CONTEXT;
    this.#tracer = tracer;
    this.#span = tracer.startSpan(name, { kind: KINDS[kind], ...more }, within);
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    this.sampled = (traceFlags & api.TraceFlags.SAMPLED) !== 0;
    this.traceId = traceId;
    this.traceparent = `00-${traceId}-${spanId}-${this.sampled ? '01' : '00'}`;
  }

  child(name: string, kind: SpanKind): Span | undefined {
    if (!this.sampled) return undefined;
    return new TracedSpan(this.#tracer, name, kind, this.#span.spanContext(), { startTime: performance.now() });
  }

  end(attributes: Attributes, failed = false): void {
    this.#span.setAttributes(attributes);
    if (failed) this.#span.setStatus({ code: api.SpanStatusCode.ERROR });
    this.#span.end(performance.now());
  }
}

/** The SDK's bounded queue, which sends ended spans in batches; it counts those that are exported and lost. */
class CountedQueue extends sdk.BatchSpanProcessor {
  exported = 0;
  lost = 0;
  #waiting = 0;
  #isAway = false;
  readonly #logger: Pick<Logger, 'warn'>;

  constructor(exporter: sdk.SpanExporter, logger: Pick<Logger, 'warn'>) {
    super({
      maxQueueSize: MAX_WAITING,
      exporter: {
        export: (spans, done) => {
          this.#waiting -= spans.length;
          exporter.export(spans, (result) => {
            this.#record(spans.length, result.code === ExportResultCode.SUCCESS ? undefined : reasonOf(result.error));
            done(result);
          });
        },
        shutdown: () => exporter.shutdown(),
      },
    });
    this.#logger = logger;
  }

  override onEnd(span: sdk.ReadableSpan): void {
    if (this.#waiting >= MAX_WAITING) this.lost++;
    else {
      this.#waiting++;
      super.onEnd(span);
    }
  }

  /** @param reason why the receiver did not accept the spans; undefined: it did accept them. */
  #record(spans: number, reason: string | undefined): void {
    if (reason === undefined) this.exported += spans;
    else this.lost += spans;
    if (reason !== undefined && !this.#isAway) this.#logger.warn('traces cannot be exported and are lost', { reason });
    if (reason === undefined && this.#isAway) this.#logger.warn('traces are exported again', { lost: this.lost });
    this.#isAway = reason !== undefined;
  }
}

function reasonOf(error: (Error & { code?: unknown }) | undefined): string {
  if (typeof error?.code === 'number') return `it answered ${error.code}`;
  return error?.message || (typeof error?.code === 'string' ? error.code : 'it took none');
}

import { AsyncLocalStorage } from 'node:async_hooks';

/** Context of the current request or job, for log lines, jobs and statements. */
export interface Scope {
  /** The path of a route, or the kind of a job; never the caller's text. */
  operation: string;
  /** The id of the request; undefined: a batch of jobs of several requests, or of none. */
  requestId?: string | undefined;
  /** The current span; set where traces are exported. */
  span?: Span | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();
let entered = 0;

/**
 * Runs `work`, however deep, in a scope. The store is disabled while there is none: on Node 20 each promise pays for a
 * store in use (src/platform/database/session/inside-transaction.ts), so only traced searches enter one.
 */
export async function inScope<Result>(scope: Scope, work: () => Promise<Result>): Promise<Result> {
  entered++;
  try {
    return await scopes.run(scope, work);
  } finally {
    if (--entered === 0) scopes.disable();
  }
}

export function currentScope(): Scope | undefined {
  return entered === 0 ? undefined : scopes.getStore();
}

/** The attributes of a span: names, numbers and codes; never content, and no text of a visitor or a customer. */
export type Attributes = Record<string, string | number>;

export type SpanKind = 'server' | 'client' | 'consumer';

/** A part of the work of a trace. A span whose trace is not sampled only passes its context on. */
export interface Span {
  readonly sampled: boolean;
  readonly traceId: string;
  /** The context of the span as W3C writes it, for jobs and for comments of statements. */
  readonly traceparent: string;
  /** Begins a span below this one; undefined where nothing is sampled. */
  child(name: string, kind: SpanKind): Span | undefined;
  /** Ends the span. Call it once. */
  end(attributes: Attributes, failed?: boolean): void;
}

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type Sampler = (typeof SAMPLERS)[number];

/** The options from the standard settings OTEL_… (docs/reference/settings.md). */
export interface TracingOptions {
  /** The url to which spans are posted. */
  url: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  sampler: Sampler;
  /** The sampled share, 0 to 1, of the traces that a `…traceidratio` sampler begins. */
  ratio: number;
  /** The attributes that describe the process, such as `service.name`. */
  resource: Readonly<Record<string, string>>;
}

/** Made by open-telemetry.ts, which is loaded only where a collector is configured. */
export interface Tracer {
  /**
   * Begins a span.
   * @param traceparent is the context of the cause, unchecked, as a caller or a job gave it.
   * @param more `startedAt`: monotonic. `links`: traceparents of other spans that caused this one.
   */
  begin(
    name: string,
    kind: SpanKind,
    traceparent?: unknown,
    more?: { startedAt?: number; links?: readonly (string | undefined)[] },
  ): Span;
  /** The number of exported spans, and of lost ones: the queue was full, or the receiver did not accept them. */
  stats(): { exported: number; lost: number };
  /** Sends the waiting spans. */
  stop(): Promise<void>;
}

import { AsyncLocalStorage } from 'node:async_hooks';

/** Context of the current request or job, for log lines, jobs and statements. */
export interface Scope {
  /** A route's path, or the kind of a job; never the caller's text. */
  operation: string;
  /** Undefined: a batch of jobs of several requests, or of none. */
  requestId?: string | undefined;
  /** Where traces are exported. */
  span?: Span | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();
let entered = 0;

/**
 * Runs `work`, however deep, in a scope. The store is disabled while there is none: on Node 20 each promise of the
 * process pays for a store in use (src/platform/database/session/inside-transaction.ts), so searches enter one only
 * when traced.
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

/** Names, numbers and codes; never content, and no text of a visitor or a customer. */
export type Attributes = Record<string, string | number>;

export type SpanKind = 'server' | 'client' | 'consumer';

/** A part of the work. One whose trace is not sampled only hands its context on. */
export interface Span {
  readonly sampled: boolean;
  readonly traceId: string;
  /** Its context as W3C writes it, for jobs and for comments of statements. */
  readonly traceparent: string;
  /** A span below this one; undefined where nothing is sampled. */
  child(name: string, kind: SpanKind): Span | undefined;
  /** To be called once. */
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

/** From the standard settings OTEL_… (docs/reference/settings.md). */
export interface TracingOptions {
  /** Where spans are posted. */
  url: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  sampler: Sampler;
  /** Of the traces that a `…traceidratio` begins, 0 to 1. */
  ratio: number;
  /** What the process is, `service.name` among it. */
  resource: Readonly<Record<string, string>>;
}

/** Made by open-telemetry.ts, which is loaded only where a collector is configured. */
export interface Tracer {
  /**
   * Begins a span.
   * @param traceparent of what caused it: as a caller or a job gave it, unchecked.
   * @param more `startedAt`: monotonic. `links`: traceparents of other spans that it comes from.
   */
  begin(
    name: string,
    kind: SpanKind,
    traceparent?: unknown,
    more?: { startedAt?: number; links?: readonly (string | undefined)[] },
  ): Span;
  /** Spans that were exported, and those lost: the queue was full, or the receiver did not take them. */
  stats(): { exported: number; lost: number };
  /** Sends what waits. */
  stop(): Promise<void>;
}

import { newSpanId, type TraceContext } from './trace-context.js';

/** Kinds of spans, numbered as OTLP does. */
export const SPAN_KINDS = { server: 2, client: 3, consumer: 5 } as const;
export type SpanKind = keyof typeof SPAN_KINDS;

/** Names, numbers and codes; never content, and no text of a visitor or a customer. */
export type Attributes = Record<string, string | number>;

export interface EndedSpan {
  context: TraceContext;
  parentId: string | undefined;
  name: string;
  kind: SpanKind;
  /** In milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  attributes: Attributes;
  /** Other spans that it comes from. */
  links: readonly TraceContext[];
  failed: boolean;
}

/** The max that OTLP's own programs send. */
export const MAX_LINKS = 128;

interface SpanOptions {
  parentId?: string | undefined;
  /** Monotonic; default: now. */
  startedAt?: number;
  links?: readonly TraceContext[];
}

/** A part of the work. One whose trace is not sampled only hands its context on. */
export class Span {
  readonly context: TraceContext;
  readonly #name: string;
  readonly #kind: SpanKind;
  readonly #options: SpanOptions;
  readonly #startedAt: number;
  readonly #ended: (span: EndedSpan) => void;

  constructor(
    context: TraceContext,
    name: string,
    kind: SpanKind,
    ended: (span: EndedSpan) => void,
    options: SpanOptions,
  ) {
    this.context = context;
    this.#name = name;
    this.#kind = kind;
    this.#ended = ended;
    this.#options = options;
    this.#startedAt = options.startedAt ?? performance.now();
  }

  get sampled(): boolean {
    return this.context.sampled;
  }

  /** A span below this one; undefined where nothing is sampled. */
  child(name: string, kind: SpanKind): Span | undefined {
    if (!this.sampled) return undefined;
    const context = { ...this.context, spanId: newSpanId() };
    return new Span(context, name, kind, this.#ended, { parentId: this.context.spanId });
  }

  /** To be called once. */
  end(attributes: Attributes, failed = false): void {
    if (!this.sampled) return;
    this.#ended({
      context: this.context,
      parentId: this.#options.parentId,
      name: this.#name,
      kind: this.#kind,
      startedAt: performance.timeOrigin + this.#startedAt,
      endedAt: performance.timeOrigin + performance.now(),
      attributes,
      links: (this.#options.links ?? []).slice(0, MAX_LINKS),
      failed,
    });
  }
}

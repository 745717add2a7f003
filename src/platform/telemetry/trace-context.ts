import { randomBytes } from 'node:crypto';

/** A span's place in its trace (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  sampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads the header `traceparent`; undefined where it is not one, and a new trace begins. */
export function parseTraceparent(header: unknown): TraceContext | undefined {
  if (typeof header !== 'string' || header.length > 512) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(header.trim()) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
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

/** The context of a new span. `ratio`: of the traces that a `…traceidratio` begins. */
export function beginContext(sampler: Sampler, ratio: number, parent?: TraceContext): TraceContext {
  const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
  return { traceId, spanId: newSpanId(), sampled: isSampled(sampler, ratio, traceId, parent) };
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

function isSampled(sampler: Sampler, ratio: number, traceId: string, parent?: TraceContext): boolean {
  if (parent && sampler.startsWith('parentbased_')) return parent.sampled;
  if (sampler.endsWith('always_on')) return true;
  if (sampler.endsWith('always_off')) return false;
  // The same answer in every process that sees the trace.
  return parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32;
}

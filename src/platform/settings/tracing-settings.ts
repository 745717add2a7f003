import { SAMPLERS, type Sampler, type TracingOptions } from '../telemetry/tracer.js';

/**
 * What /metrics names, and the standard settings of OpenTelemetry that are obeyed. Traces are off while none names a
 * receiver.
 */
export interface TracingSettings {
  METRICS_PROJECTS: number;
  OTEL_EXPORTER_OTLP_ENDPOINT: string;
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: string;
  OTEL_EXPORTER_OTLP_HEADERS: string;
  OTEL_EXPORTER_OTLP_TIMEOUT: number;
  OTEL_EXPORTER_OTLP_PROTOCOL: string;
  OTEL_SERVICE_NAME: string;
  OTEL_RESOURCE_ATTRIBUTES: string;
  OTEL_TRACES_SAMPLER: Sampler;
  OTEL_TRACES_SAMPLER_ARG: string;
  OTEL_SDK_DISABLED: 'true' | 'false';
}

/** Without a login, which `fetch` refuses. */
const HTTP_URL = '^(https?://[^\\s@?#]+)?$';

const text = (fallback: string, description: string) => ({ type: 'string', default: fallback, description });
const url = (description: string) => ({ ...text('', description), pattern: HTTP_URL });

export const TRACING_SETTINGS = {
  METRICS_PROJECTS: {
    type: 'integer',
    minimum: 0,
    maximum: 1_000,
    default: 0,
    description:
      'max projects that /metrics names by their id, those in use; the requests of others are summed up. 0: names none',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: url(
    'url of an OpenTelemetry collector that takes OTLP/HTTP, such as `http://127.0.0.1:4318`; unset: no traces are made',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url('the whole url for traces; unset: the one above with `/v1/traces`'),
  OTEL_EXPORTER_OTLP_HEADERS: {
    ...text('', 'headers for the collector, `name=value` separated by commas'),
    format: 'pairs',
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    type: 'integer',
    minimum: 1,
    maximum: 60_000,
    default: 10_000,
    description: 'milliseconds that the collector may take',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    type: 'string',
    enum: ['http/json', 'http/protobuf'],
    default: 'http/json',
    description: 'traces go out as JSON, which every receiver of OTLP/HTTP takes, whichever is named',
  },
  OTEL_SERVICE_NAME: text('pathmend', 'what traces call the service'),
  OTEL_RESOURCE_ATTRIBUTES: {
    ...text('', 'what else traces say of the process, `name=value` separated by commas'),
    format: 'pairs',
  },
  OTEL_TRACES_SAMPLER: {
    type: 'string',
    enum: SAMPLERS,
    default: 'parentbased_always_on',
    description: 'which requests and jobs are traced',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    ...text('1', 'share of them for the samplers named `…traceidratio`, 0 to 1'),
    pattern: '^(0|1|0?\\.\\d+|[01]\\.0*)$',
  },
  OTEL_SDK_DISABLED: {
    type: 'string',
    enum: ['true', 'false'],
    default: 'false',
    description: 'true: no traces, whatever else is set',
  },
};

/** Undefined: traces are off. */
export function tracingOf(s: TracingSettings): TracingOptions | undefined {
  const base = s.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = s.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || (base && `${base.replace(/\/$/, '')}/v1/traces`);
  if (url === '' || s.OTEL_SDK_DISABLED === 'true') return undefined;
  return {
    url,
    headers: pairs(s.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMs: s.OTEL_EXPORTER_OTLP_TIMEOUT,
    sampler: s.OTEL_TRACES_SAMPLER,
    ratio: Number(s.OTEL_TRACES_SAMPLER_ARG),
    resource: { 'service.name': s.OTEL_SERVICE_NAME, ...pairs(s.OTEL_RESOURCE_ATTRIBUTES) },
  };
}

/** Whether a list of `name=value` can be read; values may be percent-encoded. */
export function isListOfPairs(list: string): boolean {
  try {
    pairs(list);
    return list.split(',').every((one) => one.trim() === '' || /^\s*[\w.-]+\s*=/.test(one));
  } catch {
    return false;
  }
}

/** @throws URIError */
function pairs(list: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const one of list.split(',')) {
    const at = one.indexOf('=');
    if (at > 0) found[one.slice(0, at).trim()] = decodeURIComponent(one.slice(at + 1).trim());
  }
  return found;
}

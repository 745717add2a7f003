import { createServer } from 'node:http';
import type { TracingOptions } from '#src/platform/telemetry/tracing.js';
import { listen, type Listening } from './listen.js';

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, string | number>;
  links: { traceId: string; spanId: string }[];
  status: { code?: number };
}

interface Posted {
  path: string | undefined;
  headers: NodeJS.Dict<string | string[]>;
  resource: Record<string, string | number>;
  text: string;
}

type Pairs = { key: string; value: { stringValue?: string; intValue?: string | number } }[];
const plain = (pairs: Pairs): Record<string, string | number> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

export interface TraceReceiver extends Listening {
  /** The status of its answers. It decodes only the requests that it answers with 200. */
  answer: number;
  spans: ReceivedSpan[];
  posts: Posted[];
}

/** A receiver of OTLP/HTTP in JSON. */
export async function receiveTraces(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  const posts: Posted[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      response.statusCode = receiver.answer;
      response.end('{}');
      if (receiver.answer !== 200) return;
      const { resourceSpans } = JSON.parse(text) as {
        resourceSpans: {
          resource: { attributes: Pairs };
          scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: Pairs })[] }[];
        }[];
      };
      for (const { resource, scopeSpans } of resourceSpans) {
        posts.push({ path: request.url, headers: request.headers, resource: plain(resource.attributes), text });
        for (const span of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({ ...span, attributes: plain(span.attributes) });
      }
    });
  });
  const receiver: TraceReceiver = { ...(await listen(server)), answer: 200, spans, posts };
  return receiver;
}

/** The options of a tracer that exports to a receiver. */
export function tracingTo(
  { url }: Pick<TraceReceiver, 'url'>,
  sampler: TracingOptions['sampler'] = 'parentbased_always_on',
  ratio = 1,
): TracingOptions {
  return { url, headers: {}, timeoutMs: 5_000, sampler, ratio, resource: {} };
}

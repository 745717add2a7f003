import { createServer } from 'node:http';
import { expect } from 'chai';
import { createTracer } from '#src/platform/telemetry/open-telemetry.js';
import { listen } from '../../../support/listen.js';
import { receiveTraces, tracingTo } from '../../../support/trace-receiver.js';

describe('a receiver of traces that never answers', () => {
  it('costs spans beyond a bounded queue, and the end of the process two seconds', async function () {
    this.timeout(20_000);
    const receiver = await listen(createServer(() => undefined));
    const tracer = createTracer(tracingTo(receiver), { warn: () => undefined });
    for (let i = 0; i < 10_000; i++) tracer.begin('x', 'server').end({});
    // 512 are on their way, and 2,048 wait.
    expect(tracer.stats()).to.deep.equal({ exported: 0, lost: 10_000 - 512 - 2_048 });
    const from = performance.now();
    await tracer.stop();
    expect(performance.now() - from).to.be.within(1_900, 4_000);
    await receiver.stop();
  });
});

describe('the environment', () => {
  const SET = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9/v1/traces',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-of-all=1',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-of-traces=1,authorization=theirs',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_TIMEOUT: '1',
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '1',
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere.pem',
    OTEL_TRACES_SAMPLER: 'always_off',
    OTEL_BSP_MAX_QUEUE_SIZE: '1',
    OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '0',
    OTEL_RESOURCE_ATTRIBUTES: 'theirs=1',
    OTEL_SERVICE_NAME: 'theirs',
  };
  const before = Object.fromEntries(Object.keys(SET).map((name) => [name, process.env[name]]));

  after(() => {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
  });

  it('changes nothing of how traces are sent: only the settings do', async () => {
    const receiver = await receiveTraces();
    const options = { ...tracingTo(receiver), headers: { 'x-own': '1' }, resource: { 'service.name': 'pathmend' } };
    const sent = async (): Promise<unknown> => {
      const tracer = createTracer(options, { warn: () => undefined });
      for (const name of ['a', 'b']) tracer.begin(name, 'server').end({ 'http.route': '/v1/suggest' });
      await tracer.stop();
      const { spans, posts } = receiver;
      return {
        stats: tracer.stats(),
        spans: spans.splice(0).map(({ name, attributes }) => [name, attributes]),
        posts: posts
          .splice(0)
          .map(({ path, headers, resource }) => ({ path, headers: { ...headers, 'content-length': '' }, resource })),
      };
    };
    const expected = await sent();
    expect(expected).to.have.nested.property('stats.exported', 2);
    expect(expected).to.have.nested.property('posts[0].headers.x-own', '1');
    Object.assign(process.env, SET);
    expect(await sent()).to.deep.equal(expected);
    await receiver.stop();
  });
});

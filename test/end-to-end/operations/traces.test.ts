import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { send, startTestService, type TestProject, type TestService } from '../../support/service.js';
import { receiveTraces, type ReceivedSpan, type TraceReceiver } from '../../support/trace-receiver.js';
import { until } from '../../support/until.js';

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const CONTENT = 'The zanzibar parcel takes three days';

describe('traces, as a receiver of OTLP/HTTP decodes them', function () {
  this.timeout(120_000);
  let receiver: TraceReceiver;
  let test: TestService;
  let project: TestProject;
  let log = '';
  let { spans, posts }: Pick<TraceReceiver, 'spans' | 'posts'> = { spans: [], posts: [] };

  before(async () => {
    receiver = await receiveTraces();
    ({ spans, posts } = receiver);
    const logStream = new PassThrough();
    logStream.on('data', (chunk: Buffer) => (log += chunk.toString()));
    test = await startTestService(
      {
        LOG_LEVEL: 'info',
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-token=s%20ecret',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      },
      { log: logStream },
    );
    project = await test.newProject();
  });

  after(async () => {
    await test.stop();
    await receiver.stop();
  });

  const traceparent = (sampled: boolean, { traceId, spanId } = CALLER): Record<string, string> => ({
    traceparent: `00-${traceId}-${spanId}-0${sampled ? 1 : 0}`,
  });
  const named = (name: string): ReceivedSpan[] => spans.filter((span) => span.name === name);
  async function received(name: string): Promise<ReceivedSpan> {
    await until(`a span ${name} is received`, () => named(name).length > 0, 20_000);
    return named(name)[0] as ReceivedSpan;
  }

  it('follow a request of a traced caller through its statements, its job in the worker and the statements of that', async () => {
    const page = { url: 'https://shop.example/zanzibar', content: CONTENT, title: 'Zanzibar' };
    const headers = { ...traceparent(true), 'X-Request-Id': 'traced-1' };
    expect((await project.call('POST', '/v1/pages/upsert', page, headers)).status).to.equal(202);
    await project.indexed();
    const request = await received('POST /v1/pages/upsert');
    const job = await received('process vectorize-page');
    const inserted = await received('insert pathmend.pages');
    expect(request).to.deep.include({ traceId: CALLER.traceId, parentSpanId: CALLER.spanId, kind: 2 });
    expect(request.status.code ?? 0).to.equal(0);
    expect(request.attributes).to.deep.include({
      'http.request.method': 'POST',
      'http.route': '/v1/pages/upsert',
      'http.response.status_code': 202,
      'pathmend.request.id': 'traced-1',
      'pathmend.project.id': project.row.project_id,
    });
    expect(inserted).to.deep.include({ traceId: CALLER.traceId, parentSpanId: request.spanId, kind: 3 });
    expect(job).to.deep.include({ traceId: CALLER.traceId, parentSpanId: request.spanId, kind: 5 });
    expect(job.attributes).to.deep.equal({
      'messaging.destination.name': 'vectorize-page',
      'messaging.batch.message_count': 1,
    });
    const ofJob = spans.filter(({ parentSpanId }) => parentSpanId === job.spanId);
    expect(ofJob.map(({ name }) => name)).to.include('update pathmend.pages');
    for (const { startTimeUnixNano: from, endTimeUnixNano: to } of spans) expect(BigInt(to) >= BigInt(from)).to.be.true;
    expect(BigInt(job.startTimeUnixNano) > BigInt(request.startTimeUnixNano)).to.be.true;
    expect(Math.abs(Number(BigInt(job.endTimeUnixNano) / 1_000_000n) - Date.now())).to.be.below(60_000);
  });

  it('go to the configured receiver, with its headers, and say what the process is', () => {
    expect(posts[0]?.path).to.equal('/v1/traces');
    expect(posts[0]?.headers).to.deep.include({ 'x-collector-token': 's ecret', 'content-type': 'application/json' });
    expect(posts[0]?.resource).to.deep.include({ 'service.name': 'pathmend', 'deployment.environment.name': 'test' });
  });

  it('are made of no request that its caller does not trace, nor of its job, when the sampler says so', async () => {
    const unsampled = { traceId: 'd'.repeat(32), spanId: 'd'.repeat(16) };
    for (const headers of [
      traceparent(false, unsampled),
      {},
      { traceparent: 'nonsense' },
      { traceparent: `00-${'0'.repeat(32)}-x-01` },
    ])
      await project.call(
        'POST',
        '/v1/pages/upsert',
        { url: `https://shop.example/${JSON.stringify(headers)}`, content: 'x' },
        headers,
      );
    await project.indexed();
    await project.call('POST', '/v1/suggest', { path: '/zanzibar' }, traceparent(true));
    await received('POST /v1/suggest');
    expect(spans.filter(({ traceId }) => traceId === unsampled.traceId)).to.deep.equal([]);
    expect(named('POST /v1/pages/upsert')).to.have.lengthOf(1);
  });

  it('hold no key, content, path or address, and no token of the receiver', () => {
    const all = posts.map(({ text }) => text).join('\n');
    for (const secret of [project.key.slice(8, 40), 'zanzibar', 'parcel', '198.51.100', 's ecret', project.row.name])
      expect(all.toLowerCase()).to.not.contain(secret.toLowerCase());
  });

  it('are lost and counted while the receiver refuses them, said once, and nothing else suffers', async () => {
    receiver.answer = 503;
    const lost = async (): Promise<number> => {
      const { text } = await send(test.service.url, 'GET', '/metrics');
      return Number(/^pathmend_spans_total\{outcome="lost"\} (\d+)$/m.exec(text)?.[1]);
    };
    const before = await lost();
    for (const at of [1, 2, 3]) {
      const { status } = await project.call('POST', '/v1/suggest', { path: `/lost-${at}` }, traceparent(true));
      expect(status).to.equal(200);
    }
    await until('spans are lost', async () => (await lost()) > before, 20_000);
    expect(log.match(/traces cannot be exported and are lost/g)).to.have.lengthOf(1);
    receiver.answer = 200;
    await project.call('POST', '/v1/suggest', { path: '/found-again' }, traceparent(true));
    await until('they are exported again', () => log.includes('traces are exported again'), 20_000);
  });
});

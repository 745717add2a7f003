import { expect } from 'chai';
import type { JobWithMetadata } from 'pg-boss';
import { causeOf, withCause } from '#src/platform/queue/job.js';
import { observeHandler } from '#src/platform/queue/running-jobs.js';
import { currentScope, inScope, type Tracer, type TracingOptions } from '#src/platform/telemetry/tracing.js';
import { createTracer } from '#src/platform/telemetry/open-telemetry.js';
import { receiveTraces, type ReceivedSpan, type TraceReceiver, tracingTo } from '../../../support/trace-receiver.js';

describe('the work of a batch of jobs', () => {
  const lines: [string, Record<string, unknown>][] = [];
  const say = (message: string, fields: Record<string, unknown> = {}): void => void lines.push([message, fields]);
  const logger = { error: say, warn: say, info: say, debug: say };
  let receiver: TraceReceiver;
  let tracer: Tracer;

  beforeEach(async () => {
    lines.length = 0;
    receiver = await receiveTraces();
    tracer = createTracer(tracingTo(receiver), logger);
  });

  afterEach(() => receiver.stop());

  /** All spans that ended. */
  async function exported(): Promise<ReceivedSpan[]> {
    await tracer.stop();
    return receiver.spans;
  }

  /** A job that a request queued. */
  async function jobOf(requestId: string | undefined): Promise<JobWithMetadata> {
    const span = requestId === undefined ? undefined : tracer.begin('POST /v1/pages/upsert', 'server');
    const payload = { pageId: `page of ${requestId}` };
    const data = requestId
      ? await inScope({ operation: 'x', requestId, span }, () => Promise.resolve(withCause(payload)))
      : payload;
    const at = new Date();
    return { id: String(requestId), data, createdOn: at, startAfter: at, startedOn: at } as never;
  }

  it('has an empty payload where the schedule queued it without one', async () => {
    const job = { ...(await jobOf(undefined)), data: null as unknown as object };
    let seen: unknown;
    await observeHandler({ name: 'watch' }, ([handledJob]) => Promise.resolve(void (seen = handledJob?.data)), {
      logger,
    })([job]);
    expect(seen).to.deep.equal({});
  });

  it('is done in the scope of the one request that it comes from, in its trace', async () => {
    const job = await jobOf('request-1');
    let seen: ReturnType<typeof currentScope>;
    await observeHandler({ name: 'index' }, () => Promise.resolve(void (seen = currentScope())), { logger, tracer })([
      job,
    ]);
    const [span, ...otherSpans] = await exported();
    const [, traceId, parentSpanId] = causeOf(job.data).traceparent?.split('-') ?? [];
    expect(seen).to.deep.include({ operation: 'index', requestId: 'request-1' });
    expect(otherSpans).to.deep.equal([]);
    expect(span).to.deep.include({ name: 'process index', traceId, parentSpanId, status: { code: 0 } });
    expect(lines).to.deep.equal([['job', { ...lines[0]?.[1], job: 'index', request_id: 'request-1', jobs: 1 }]]);
    expect(currentScope()).to.equal(undefined);
  });

  it('of several requests has a span in the trace of each, linked with the one of the batch, and a line for each', async () => {
    const jobs = await Promise.all(['a', 'b', undefined].map(jobOf));
    let requestId: unknown = 'not asked';
    const work = (): Promise<object[]> => {
      requestId = currentScope()?.requestId;
      return Promise.resolve([
        { id: 'a', status: 'completed' },
        { id: 'b', status: 'failed' },
      ]);
    };
    await observeHandler({ name: 'index' }, work, { logger, tracer })(jobs);
    const [batch, ...requestSpans] = await exported();
    const causes = jobs.slice(0, 2).map((job) => causeOf(job.data).traceparent?.split('-')[1]);
    expect(requestId).to.equal(undefined);
    expect(requestSpans.map(({ traceId }) => traceId)).to.deep.equal(causes);
    expect(batch?.links.map(({ traceId }) => traceId)).to.deep.equal(causes);
    for (const { links } of requestSpans) expect(links[0]?.spanId).to.equal(batch?.spanId);
    expect(lines.map(([, fields]) => [fields['request_id'], fields['failed']])).to.deep.equal([
      ['a', undefined],
      ['b', 1],
    ]);
  });

  it('that fails as a whole is said without the message, which may quote content', async () => {
    const failing = observeHandler({ name: 'index' }, () => Promise.reject(new Error('marker')), { logger, tracer });
    const outcome = await failing([await jobOf('c')]).then(
      () => 'done',
      () => 'failed',
    );
    expect(outcome).to.equal('failed');
    expect((await exported())[0]?.status.code).to.equal(2);
    expect(JSON.stringify(lines)).to.include('jobs failed').and.include('"c"').and.not.include('marker');
  });
});

describe('a traceparent', () => {
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const good = `00-${traceId}-${spanId}-01`;
  let receiver: TraceReceiver;

  before(async () => {
    receiver = await receiveTraces();
  });

  after(() => receiver.stop());

  const tracerOf = (...[sampler, ratio]: [TracingOptions['sampler'], number?]): Tracer =>
    createTracer(tracingTo(receiver, sampler, ratio), { warn: () => undefined });

  it('is read as W3C writes it, and anything else begins a new trace', () => {
    const tracer = tracerOf('parentbased_always_on');
    expect(tracer.begin('x', 'server', good)).to.include({ traceId, sampled: true });
    expect(tracer.begin('x', 'server', good).traceparent).to.match(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    expect(tracer.begin('x', 'server', `cc-${traceId}-${spanId}-08-what-comes`)).to.include({
      traceId,
      sampled: false,
    });
    for (const bad of [
      `${good}-more`,
      good.toUpperCase(),
      `ff-${traceId}-${spanId}-01`,
      `00-${'0'.repeat(32)}-${spanId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `00-${traceId}-${spanId}-01*/; drop table x`,
      'x'.repeat(100_000),
      [good, good],
      undefined,
    ])
      expect(tracer.begin('x', 'server', bad).traceId, String(bad)).to.not.equal(traceId);
  });

  it('decides over sampling by parent, or by a share of the ids', () => {
    const share = (...sampler: Parameters<typeof tracerOf>): number => {
      const tracer = tracerOf(...sampler);
      return Array.from({ length: 2_000 }, () => tracer.begin('x', 'server').sampled).filter(Boolean).length / 2_000;
    };
    const sampled = (sampler: TracingOptions['sampler'], traceparent: string): boolean =>
      tracerOf(sampler).begin('x', 'server', traceparent).sampled;
    expect(sampled('parentbased_always_off', good)).to.equal(true);
    expect(sampled('always_off', good)).to.equal(false);
    expect(sampled('parentbased_always_on', good.replace(/1$/, '0'))).to.equal(false);
    expect(share('parentbased_traceidratio', 0.25)).to.be.within(0.2, 0.3);
    expect([share('traceidratio', 0), share('traceidratio', 1)]).to.deep.equal([0, 1]);
  });
});

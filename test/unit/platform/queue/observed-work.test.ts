import { expect } from 'chai';
import type { JobWithMetadata } from 'pg-boss';
import { causeOf, withCause, observedWork } from '#src/platform/queue/observed-work.js';
import { currentScope, inScope } from '#src/platform/telemetry/scope.js';
import { Span, type EndedSpan } from '#src/platform/telemetry/span.js';
import { beginContext, formatTraceparent, parseTraceparent } from '#src/platform/telemetry/trace-context.js';
import type { Tracer } from '#src/platform/telemetry/tracer.js';

describe('the work of a batch of jobs', () => {
  const spans: EndedSpan[] = [];
  const lines: [string, Record<string, unknown>][] = [];
  const say = (message: string, fields: Record<string, unknown> = {}): void => void lines.push([message, fields]);
  const logger = { error: say, warn: say, info: say, debug: say };
  const tracer: Tracer = {
    begin: (name, kind, traceparent, more = {}) => {
      const parent = parseTraceparent(traceparent);
      const context = beginContext('parentbased_always_on', 1, parent);
      return new Span(context, name, kind, (span) => spans.push(span), { ...more, parentId: parent?.spanId });
    },
    stats: () => ({ exported: 0, lost: 0 }),
    stop: () => Promise.resolve(),
  };

  beforeEach(() => {
    spans.length = 0;
    lines.length = 0;
  });

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
    await observedWork({ name: 'watch' }, ([one]) => Promise.resolve(void (seen = one?.data)), { logger })([job]);
    expect(seen).to.deep.equal({});
  });

  it('is done in the scope of the one request that it comes from, in its trace', async () => {
    const job = await jobOf('request-1');
    let seen: ReturnType<typeof currentScope>;
    await observedWork({ name: 'index' }, () => Promise.resolve(void (seen = currentScope())), { logger, tracer })([
      job,
    ]);
    const parent = parseTraceparent(causeOf(job.data).traceparent);
    expect(seen).to.deep.include({ operation: 'index', requestId: 'request-1' });
    expect(spans).to.have.lengthOf(1);
    expect(spans[0]).to.deep.include({ name: 'process index', parentId: parent?.spanId, failed: false });
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
    await observedWork({ name: 'index' }, work, { logger, tracer })(jobs);
    const [batch, ...own] = spans;
    const causes = jobs.slice(0, 2).map((job) => parseTraceparent(causeOf(job.data).traceparent));
    expect(requestId).to.equal(undefined);
    expect(own.map(({ context }) => context.traceId)).to.deep.equal(causes.map((cause) => cause?.traceId));
    expect(batch?.links.map(({ traceId }) => traceId)).to.deep.equal(causes.map((cause) => cause?.traceId));
    for (const { links } of own) expect(links[0]?.spanId).to.equal(batch?.context.spanId);
    expect(lines.map(([, fields]) => [fields['request_id'], fields['failed']])).to.deep.equal([
      ['a', undefined],
      ['b', 1],
    ]);
  });

  it('that fails as a whole is said without the message, which may quote content', async () => {
    const failing = observedWork({ name: 'index' }, () => Promise.reject(new Error('marker')), { logger, tracer });
    const outcome = await failing([await jobOf('c')]).then(
      () => 'done',
      () => 'failed',
    );
    expect(outcome).to.equal('failed');
    expect(spans[0]?.failed).to.equal(true);
    expect(JSON.stringify(lines)).to.include('jobs failed').and.include('"c"').and.not.include('marker');
  });
});

describe('a traceparent', () => {
  it('is read as W3C writes it, and anything else begins a new trace', () => {
    const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    const good = `00-${traceId}-${spanId}-01`;
    expect(parseTraceparent(good)).to.deep.equal({ traceId, spanId, sampled: true });
    expect(formatTraceparent({ traceId, spanId, sampled: true })).to.equal(good);
    expect(parseTraceparent(`cc-${traceId}-${spanId}-08-what-comes`)).to.deep.include({ sampled: false });
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
      expect(parseTraceparent(bad), String(bad)).to.equal(undefined);
  });

  it('decides over sampling by parent, or by a share of the ids', () => {
    const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true };
    const share = (sampler: Parameters<typeof beginContext>[0], ratio: number): number =>
      Array.from({ length: 2_000 }, () => beginContext(sampler, ratio).sampled).filter(Boolean).length / 2_000;
    expect(beginContext('parentbased_always_off', 1, parent)).to.deep.include({
      traceId: parent.traceId,
      sampled: true,
    });
    expect(beginContext('always_off', 1, parent).sampled).to.equal(false);
    expect(beginContext('parentbased_always_on', 1, { ...parent, sampled: false }).sampled).to.equal(false);
    expect(share('parentbased_traceidratio', 0.25)).to.be.within(0.2, 0.3);
    expect([share('traceidratio', 0), share('traceidratio', 1)]).to.deep.equal([0, 1]);
  });
});

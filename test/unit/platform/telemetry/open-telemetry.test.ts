import { createServer } from 'node:http';
import { expect } from 'chai';
import { createTracer } from '#src/platform/telemetry/open-telemetry.js';
import { listen } from '../../../support/listen.js';
import { tracingTo } from '../../../support/trace-receiver.js';

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

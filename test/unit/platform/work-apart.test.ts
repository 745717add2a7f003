import { expect } from 'chai';
import { OperatorError } from '#src/base/errors.js';
import { workApart } from '#src/platform/work-apart.js';

const entry = (program: string): URL => new URL(`data:text/javascript,${encodeURIComponent(program)}`);
const serve = (work: string): URL =>
  entry(`import { serveApart } from ${JSON.stringify(import.meta.resolve('#src/platform/serve-apart.js'))};
await serveApart(${work});`);

async function outcome(url: URL, options: { withinMs?: number; input?: AsyncIterable<unknown> } = {}) {
  const said: unknown[] = [];
  try {
    const task = { url, workerData: 2, withinMs: 60_000, late: 'It takes too long.', ...options };
    for await (const one of workApart(task)) said.push(one);
    return { said };
  } catch (error) {
    return { said, error };
  }
}

describe('work that goes on apart', function () {
  this.timeout(60_000);

  it('is given what it asks for, one after the other, and says what comes of it', async () => {
    async function* numbers(): AsyncGenerator<number> {
      for (let n = 1; n <= 3; n++) yield await Promise.resolve(n);
    }
    const url = serve('async function* (by, input) { for await (const n of input) yield n * by; }');
    expect(await outcome(url, { input: numbers() })).to.deep.equal({ said: [2, 4, 6] });
  });

  it('that never ends is ended, and the reason said; this thread goes on meanwhile', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 10);
    const { error } = await outcome(entry('for (;;);'), { withinMs: 500 });
    clearInterval(timer);
    expect(error).to.be.instanceOf(OperatorError).with.property('message', 'It takes too long.');
    expect(turns).to.be.above(5);
  });

  it('that fails or exits says why', async () => {
    const failed = await outcome(serve("async function* () { yield 1; throw new Error('no such rule'); }"));
    expect(failed.said).to.deep.equal([1]);
    expect(failed.error).to.be.an('error').with.property('message', 'no such rule');
    expect(String((await outcome(entry('process.exit(3)'))).error)).to.include('ended with code 3');
  });
});

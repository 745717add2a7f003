import { expect } from 'chai';
import { OperatorError } from '#src/base/errors.js';
import { workApart } from '#src/platform/work-apart.js';

const entry = (program: string): URL => new URL(`data:text/javascript,${encodeURIComponent(program)}`);
const serve = (work: string): URL =>
  entry(`import { serveApart } from ${JSON.stringify(import.meta.resolve('#src/platform/work-apart.js'))};
await serveApart(${work});`);

async function outcome(url: URL, options: { withinMs?: number } = {}) {
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

  it('says what comes of it, one after the other', async () => {
    const url = serve('async function* (by) { for (const n of [1, 2, 3]) yield n * by; }');
    expect(await outcome(url)).to.deep.equal({ said: [2, 4, 6] });
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
    const refused = serve(
      "async function* () { yield 1; throw Object.assign(new Error('too many clients'), { code: '53300' }); }",
    );
    expect((await outcome(refused)).error).to.include({ message: 'too many clients', code: '53300' });
    expect(String((await outcome(entry('process.exit(3)'))).error)).to.include('ended with code 3');
  });
});

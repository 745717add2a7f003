import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { OperatorError } from '#src/base/errors.js';
import { runInThread } from '#src/platform/run-in-thread.js';

const entry = (program: string): URL => new URL(`data:text/javascript,${encodeURIComponent(program)}`);
const serve = (work: string): URL =>
  entry(`import { serveWorkThread } from ${JSON.stringify(import.meta.resolve('#src/platform/run-in-thread.js'))};
await serveWorkThread(${work});`);

async function outcome(url: URL, options: { withinMs?: number } = {}) {
  const outputs: unknown[] = [];
  try {
    const task = { url, workerData: 2, withinMs: 60_000, late: 'It takes too long.', ...options };
    for await (const output of runInThread(task)) outputs.push(output);
    return { said: outputs };
  } catch (error) {
    return { said: outputs, error };
  }
}

describe('work that goes on apart', function () {
  this.timeout(60_000);

  it('says what comes of it, one after the other', async () => {
    const url = serve('async function* (by) { for (const n of [1, 2, 3]) yield n * by; }');
    expect(await outcome(url)).to.deep.equal({ said: [2, 4, 6] });
  });

  it('runs in a process of the lowest priority that may not raise it', function () {
    if (process.platform !== 'linux') this.skip();
    const url = serve('async function* (by) { yield by; }');
    const program = `import { runInThread } from ${JSON.stringify(import.meta.resolve('#src/platform/run-in-thread.js'))};
      const task = { url: new URL(${JSON.stringify(url.href)}), workerData: 2, withinMs: 60000, late: '' };
      for await (const output of runInThread(task)) console.log(output);`;
    // Only the right of root can raise it.
    const unprivileged =
      process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-sys_nice', '--inh-caps=-sys_nice'] : [];
    const words = [...unprivileged, 'nice', '-n', '19', process.execPath, '--input-type=module', '--eval', program];
    const { stdout, stderr } = spawnSync(words[0] ?? '', words.slice(1), { encoding: 'utf8' });
    expect({ stdout, stderr }).to.deep.equal({ stdout: '2\n', stderr: '' });
  });

  it('that never ends is ended, and the reason said; this thread goes on meanwhile', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 10);
    const { error } = await outcome(entry('for (;;);'), { withinMs: 500 });
    clearInterval(timer);
    expect(error).to.be.instanceOf(OperatorError).with.property('message', 'It takes too long.');
    expect(turns).to.be.above(5);
  });

  it('waits for who is slow, so that little is kept', async () => {
    const made = new Int32Array(new SharedArrayBuffer(4));
    const url = serve('async function* (made) { for (;;) { made[0]++; yield 0; } }');
    let taken = 0;
    for await (const output of runInThread<number>({ url, workerData: made, withinMs: 60_000, late: '' })) {
      expect((made[0] ?? 0) - taken++).to.be.within(output, 17);
      if (taken === 200) break;
    }
  });

  it('is ended when its caller says so', async () => {
    const stopping = new AbortController();
    const url = serve('async function* () { yield 1; await new Promise(() => undefined); }');
    const outputs: unknown[] = [];
    const error = await (async () => {
      for await (const output of runInThread({
        url,
        workerData: 0,
        withinMs: 60_000,
        late: '',
        signal: stopping.signal,
      })) {
        outputs.push(output);
        stopping.abort();
      }
    })().catch((reason: unknown) => reason);
    expect(outputs).to.deep.equal([1]);
    expect(error).to.be.an('error').with.property('message', 'the work was stopped');
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

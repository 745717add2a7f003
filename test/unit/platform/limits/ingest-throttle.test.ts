import { expect } from 'chai';
import { ingestThrottle } from '#src/platform/limits/ingest-throttle.js';
import { task, turn } from '../../../support/task.js';

describe('batches of pages', () => {
  it('are in work together while nobody searches', async () => {
    const run = ingestThrottle(() => false, 60_000);
    const [first, second] = [task(), task()];
    const results = [run(first.work), run(second.work)];
    await turn();
    expect([first.begun(), second.begun()]).to.deep.equal([true, true]);
    second.end();
    first.end();
    expect(await Promise.all(results)).to.deep.equal(['done', 'done']);
  });

  it('wait for those before them while somebody does, also where one of these fails', async () => {
    let searched = false;
    const run = ingestThrottle(
      () => searched,
      60_000,
      () => Promise.resolve(),
    );
    const [first, second, third] = [task(), task(), task()];
    const failing = run(first.work).catch((error: unknown) => error);
    const beside = run(second.work);
    searched = true;
    const later = run(third.work);
    first.end(new Error('broken'));
    expect(await failing).to.be.instanceOf(Error);
    await turn();
    expect(third.begun()).to.equal(false);
    second.end();
    expect(await beside).to.equal('done');
    await turn();
    expect(third.begun()).to.equal(true);
    third.end();
    expect(await later).to.equal('done');
  });

  it('leave half of the time that the one before took to those who search, and none while nobody does', async () => {
    let searched = true;
    let rested = (): void => undefined;
    const rests: number[] = [];
    const run = ingestThrottle(
      () => searched,
      60_000,
      (ms) => {
        rests.push(ms);
        return new Promise<void>((done) => {
          rested = done;
        });
      },
    );
    const [first, second, third] = [task(), task(), task()];
    const from = performance.now();
    const before = run(first.work);
    const after = run(second.work);
    first.end();
    expect(await before, 'who is done does not wait').to.equal('done');
    await turn();
    expect(rests).to.have.length(1);
    expect(rests[0]).to.be.within(0, (performance.now() - from) / 2);
    expect(second.begun()).to.equal(false);
    rested();
    await turn();
    expect(second.begun()).to.equal(true);
    second.end();
    expect(await after).to.equal('done');
    searched = false;
    const alone = run(third.work);
    await turn();
    expect(third.begun()).to.equal(true);
    third.end();
    expect(await alone).to.equal('done');
  });

  it('wait no longer than they may: what is before them may be stuck', async () => {
    const run = ingestThrottle(() => true, 20);
    const [stuck, second] = [task(), task()];
    const never = run(stuck.work);
    const later = run(second.work);
    second.end();
    expect(await later).to.equal('done');
    stuck.end();
    expect(await never).to.equal('done');
  });
});

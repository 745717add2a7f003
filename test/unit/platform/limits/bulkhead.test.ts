import { expect } from 'chai';
import { ApiError } from '#src/base/errors.js';
import { Bulkhead } from '#src/platform/limits/bulkhead.js';
import { task, turn } from '../../../support/task.js';

const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const PROJECT = 'one';

describe('a bulkhead', () => {
  let now = 0;
  const make = (maxWaitMs = 60_000): Bulkhead =>
    new Bulkhead({ slots: 1, waiting: { maxInBurst: 3, maxSustained: 1, burstMs: 1_000 }, maxWaitMs, now: () => now });

  beforeEach(() => {
    now = 0;
  });

  it('does so much at once, the rest in the order in which it came', async () => {
    const bulkhead = make();
    const tasks = [task(), task(), task()];
    const results = tasks.map(({ work }) => bulkhead.run(PROJECT, work));
    for (const [i, { end }] of tasks.entries()) {
      expect(tasks.map(({ begun }) => begun())).to.deep.equal(tasks.map((_, j) => j <= i));
      end();
      expect(await results[i]).to.equal('done');
      await turn();
    }
    expect(bulkhead.stats()).to.deep.equal({ running: 0, waiting: 0, refused: 0 });
  });

  it('knows whether it has been used lately', async () => {
    const bulkhead = make();
    expect(bulkhead.usedWithin(1_000)).to.equal(false);
    const { work, end } = task();
    const result = bulkhead.run(PROJECT, work);
    now = 5_000;
    expect(bulkhead.usedWithin(1_000)).to.equal(true);
    end();
    await result;
    now = 5_999;
    expect(bulkhead.usedWithin(1_000)).to.equal(true);
    now = 6_000;
    expect(bulkhead.usedWithin(1_000)).to.equal(false);
  });

  it('lets a burst wait, and refuses what is beyond it at once with a 503 and Retry-After', async () => {
    const bulkhead = make();
    const tasks = Array.from({ length: 4 }, task);
    const results = tasks.map(({ work }) => bulkhead.run(PROJECT, work));
    const error = await refusalOf(bulkhead.run(PROJECT, task().work));
    expect(error).to.be.instanceOf(ApiError).with.property('status', 503);
    expect(Number((error as ApiError).headers['Retry-After'])).to.be.at.least(1);
    for (const { end } of tasks) end();
    expect(await Promise.all(results)).to.have.length(4);
  });

  it('keeps the queue short when it has not been empty for as long as a burst lasts, until nobody has been refused for as long', async () => {
    const bulkhead = make();
    const [first, second, third] = [task(), task(), task()];
    const results = [bulkhead.run(PROJECT, first.work), bulkhead.run(PROJECT, second.work)];
    now = 1_000;
    expect(await refusalOf(bulkhead.run(PROJECT, task().work))).to.be.instanceOf(ApiError);
    first.end();
    second.end();
    await Promise.all(results);
    await turn();
    // Empty for a moment, because it was kept short.
    now = 1_900;
    const [still, waits] = [task(), task()];
    const served = [bulkhead.run(PROJECT, still.work), bulkhead.run(PROJECT, waits.work)];
    expect(await refusalOf(bulkhead.run(PROJECT, task().work))).to.be.instanceOf(ApiError);
    still.end();
    waits.end();
    await Promise.all(served);
    await turn();
    now = 2_900;
    const later = [third, task(), task(), task()].map(({ work, end }) => ({ done: bulkhead.run(PROJECT, work), end }));
    expect(bulkhead.stats()).to.deep.equal({ running: 1, waiting: 3, refused: 2 });
    for (const { end } of later) end();
    await Promise.all(later.map(({ done }) => done));
  });

  it('refuses who has waited for too long, and does not take a queue that lost its patience for one that was served', async () => {
    const bulkhead = make(10);
    const held = task();
    const running = bulkhead.run(PROJECT, held.work);
    expect(await refusalOf(bulkhead.run(PROJECT, task().work))).to.be.instanceOf(ApiError);
    now = 1_000;
    const firstRefusal = refusalOf(bulkhead.run(PROJECT, task().work));
    const two = refusalOf(bulkhead.run(PROJECT, task().work));
    expect(bulkhead.stats().waiting).to.equal(1);
    expect(await Promise.all([firstRefusal, two])).to.have.length(2);
    held.end();
    await running;
    expect(bulkhead.stats()).to.deep.equal({ running: 0, waiting: 0, refused: 3 });
  });

  describe('of several projects', () => {
    const SLOTS = 8;
    const several = (maxInBurst = 20): Bulkhead =>
      new Bulkhead({
        slots: SLOTS,
        waiting: { maxInBurst, maxSustained: 20, burstMs: 1_000 },
        maxWaitMs: 60_000,
        now: () => now,
      });
    /** Work of a project that goes on until it is told to end. */
    const begin = (bulkhead: Bulkhead, projectId: string, count: number) =>
      Array.from({ length: count }, () => {
        const job = task();
        return { ...job, refusal: refusalOf(bulkhead.run(projectId, job.work)) };
      });
    const begun = (work: ReturnType<typeof begin>): number => work.filter((job) => job.begun()).length;
    const end = async (work: ReturnType<typeof begin>, count: number): Promise<void> => {
      for (const job of work.filter((each) => each.begun()).slice(0, count)) {
        job.end();
        work.splice(work.indexOf(job), 1);
      }
      await turn();
    };

    it('lets lines take turns, each in the order in which it came', async () => {
      const waiting = { maxInBurst: 10, maxSustained: 10, burstMs: 1_000 };
      const bulkhead = new Bulkhead({ slots: 1, waiting, maxWaitMs: 60_000 });
      const order: string[] = [];
      const works = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => {
        const job = task();
        const work = (): Promise<string> => {
          order.push(name);
          return job.work();
        };
        return { end: job.end, done: refusalOf(bulkhead.run(name.slice(0, 1), work)) };
      });
      for (const { end } of works) end();
      await Promise.all(works.map(({ done }) => done));
      expect(order).to.deep.equal(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
    });

    it("begins another's work at once beside the flood of one, and gives them turns and halves while both wait", async () => {
      const bulkhead = several();
      const flood = begin(bulkhead, 'flood', 18);
      expect(begun(flood)).to.equal(SLOTS - 1);
      const other = begin(bulkhead, 'other', 6);
      expect(begun(other)).to.equal(1);
      await end(flood, 3);
      expect([begun(flood), begun(other)]).to.deep.equal([4, 4]);
      await end(flood, 1);
      expect([begun(flood), begun(other)]).to.deep.equal([4, 4]);
      await end(other, 4);
      // Nobody else waits any more.
      expect([begun(flood), begun(other)]).to.deep.equal([6, 2]);
      for (; flood.length + other.length > 0;) await end(flood, 8).then(() => end(other, 8));
      expect(bulkhead.stats()).to.deep.equal({ running: 0, waiting: 0, refused: 0 });
    });

    it('refuses the last of a flood where there is no room, not whoever comes from another project', async () => {
      const bulkhead = several(6);
      const flood = begin(bulkhead, 'flood', SLOTS - 1 + 6);
      const last = flood.at(-1);
      const other = begin(bulkhead, 'other', 3);
      expect(begun(other)).to.equal(1);
      expect(bulkhead.stats()).to.deep.equal({ running: SLOTS, waiting: 6, refused: 2 });
      expect(await last?.refusal)
        .to.be.instanceOf(ApiError)
        .with.property('status', 503);
      const more = begin(bulkhead, 'flood', 1);
      expect(await more[0]?.refusal).to.be.instanceOf(ApiError);
      expect(bulkhead.stats().waiting).to.equal(6);
    });

    it("keeps the queue of one short when it is a load, while another's burst waits whole", async () => {
      const bulkhead = new Bulkhead({
        slots: 1,
        waiting: { maxInBurst: 10, maxSustained: 2, burstMs: 1_000 },
        maxWaitMs: 60_000,
        now: () => now,
      });
      begin(bulkhead, 'load', 3);
      now = 1_000;
      expect(await begin(bulkhead, 'load', 1)[0]?.refusal).to.be.instanceOf(ApiError);
      begin(bulkhead, 'burst', 5);
      expect(bulkhead.stats()).to.deep.equal({ running: 1, waiting: 7, refused: 1 });
    });
  });

  it('refuses who waits for long while very many lines together never empty, though each is short', async () => {
    const bulkhead = new Bulkhead({
      slots: 1,
      waiting: { maxInBurst: 100, maxSustained: 100, burstMs: 1_000 },
      maxWaitMs: 60_000,
      maxSustainedWaitMs: 1,
      now: () => now,
    });
    const works = Array.from({ length: 10 }, task);
    const early = works.map(({ work }, key) => refusalOf(bulkhead.run(`key ${key}`, work)));
    now = 1_000;
    expect(await refusalOf(bulkhead.run('late', task().work)))
      .to.be.instanceOf(ApiError)
      .with.property('status', 503);
    for (const { end } of works) end();
    expect(await Promise.all(early)).to.deep.equal(early.map(() => undefined));
    now = 2_001;
    const last = task();
    const kept = refusalOf(bulkhead.run('after', last.work));
    last.end();
    expect(await kept).to.equal(undefined);
  });

  it('forgets whoever goes away while waiting, and gives the slot of work that fails to the next', async () => {
    const bulkhead = make();
    const gone = new AbortController();
    const held = task();
    const running = bulkhead.run(PROJECT, () =>
      held.work().then(() => {
        throw new Error('failed');
      }),
    );
    const left = refusalOf(bulkhead.run(PROJECT, task().work, gone.signal));
    const next = bulkhead.run(PROJECT, () => Promise.resolve('next'));
    gone.abort(new Error('gone'));
    expect(await left).to.have.property('message', 'gone');
    held.end();
    expect(await refusalOf(running)).to.have.property('message', 'failed');
    expect(await next).to.equal('next');
    expect(bulkhead.stats()).to.deep.equal({ running: 0, waiting: 0, refused: 0 });
  });
});

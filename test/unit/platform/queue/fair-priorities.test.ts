import { expect } from 'chai';
import { FairPriorities } from '#src/platform/queue/fair-priorities.js';

describe('turns of jobs', () => {
  const START = Date.UTC(2026, 6, 1);

  it('put whoever queues much behind others that come meanwhile, and behind nobody once its time is over', () => {
    let now = START;
    const turns = new FairPriorities(() => now);
    const many = Array.from({ length: 1_000 }, () => turns.next('many', 0.02));
    now += 2_000;
    const laterPriority = turns.next('one', 0.02);
    expect(many.filter((priority) => priority >= laterPriority)).to.have.length.within(100, 200);
    now += 60_000;
    expect(turns.next('many', 0.02)).to.equal(turns.next('one', 0.02));
  });

  it('come in the order in which they were asked for, where nobody asks for much', () => {
    let now = START;
    const turns = new FairPriorities(() => now);
    const priorities = Array.from({ length: 20 }, (_, i) => {
      now += 700;
      return turns.next(`project ${i % 3}`, 0.02);
    });
    expect([...priorities].sort((a, b) => b - a)).to.deep.equal(priorities);
  });

  it('of what lets others go first come behind all else, however late that is queued, in 32 bits', () => {
    let now = START;
    const turns = new FairPriorities(() => now);
    const bulk = turns.next('many', 0.02, 'bulk');
    now = Date.UTC(2055, 0, 1);
    expect(turns.next('one', 0.02)).to.be.above(bulk);
    expect(turns.next('one', 0.02, 'bulk')).to.be.above(-(2 ** 31));
  });
});

import { expect } from 'chai';
import { FairQueue } from '#src/platform/limits/fair-queue.js';

describe('a fair queue', () => {
  const queueOf = (...items: string[]): FairQueue<string> => {
    const queue = new FairQueue<string>();
    for (const item of items) queue.add(item.slice(0, 1), item);
    return queue;
  };
  const all = (queue: FairQueue<string>, mayGo?: (line: string) => boolean): string[] => {
    const taken: string[] = [];
    for (let item = queue.next(mayGo); item !== undefined; item = queue.next(mayGo)) taken.push(item);
    return taken;
  };

  it('lets lines take turns, each in the order in which it came', () => {
    const queue = queueOf('a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2');
    expect(queue.size).to.equal(7);
    expect(all(queue)).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
    expect(queue.size).to.equal(0);
  });

  it('passes over lines that may not go, which keep their turn', () => {
    const queue = queueOf('a1', 'b1', 'b2', 'a2');
    expect(queue.next((line) => line === 'b')).to.equal('b1');
    expect(all(queue)).to.deep.equal(['a1', 'b2', 'a2']);
  });

  it('forgets who leaves', () => {
    const queue = queueOf('a1', 'a2', 'b1');
    expect([queue.othersWait('a'), queue.othersWait('c'), queue.waiting('a'), queue.first('a')]).to.deep.equal([
      true,
      true,
      2,
      'a1',
    ]);
    queue.delete('b', 'b1');
    queue.delete('b', 'b1');
    queue.delete('a', 'a1');
    expect([queue.othersWait('a'), queue.size, queue.first('a')]).to.deep.equal([false, 1, 'a2']);
  });

  it('displaces the last of the longest line, and nobody for a newcomer to that line', () => {
    const queue = queueOf('a1', 'b1', 'b2', 'b3');
    expect([queue.displacedBy('a'), queue.displacedBy('c'), queue.displacedBy('b')]).to.deep.equal([
      'b3',
      'b3',
      undefined,
    ]);
  });
});

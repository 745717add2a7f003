import { expect } from 'chai';
import { readLater } from '#src/load/read-later.js';

describe('readLater', () => {
  it('gives nobody what was read before they asked, and reads once for all who wait', async () => {
    const readings: { id: string; end: (value: number) => void; fail: (error: Error) => void }[] = [];
    const read = readLater((id) => new Promise<number>((end, fail) => readings.push({ id, end, fail })));
    const turn = (): Promise<void> => new Promise(setImmediate);
    const first = read('a');
    await turn();
    const [second, third, other] = [read('a'), read('a'), read('b')];
    await turn();
    expect(readings.map(({ id }) => id)).to.deep.equal(['a', 'b']);
    readings[0]?.end(1);
    readings[1]?.end(2);
    expect([await first, await other]).to.deep.equal([1, 2]);
    await turn();
    readings[2]?.fail(new Error('away'));
    for (const waiting of [second, third])
      expect(await waiting.catch((error: unknown) => String(error))).to.equal('Error: away');
    const fourth = read('a');
    await turn();
    expect(readings).to.have.length(4);
    readings[3]?.end(4);
    expect(await fourth).to.equal(4);
  });
});

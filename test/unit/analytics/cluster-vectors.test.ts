import { expect } from 'chai';
import { clusterVectors } from '#src/analytics/cluster-vectors.js';
import { random as seeded } from '../../../scripts/seeded.js';

/** Unit vectors around the axes of a space, so many around each. */
function around(sizes: readonly number[], spread: number): Float32Array[] {
  const random = seeded(1);
  return sizes.flatMap((size, axis) =>
    Array.from({ length: size }, () => {
      const vector = Float32Array.from({ length: 8 }, (_, i) => (i === axis ? 1 : 0) + spread * (random() - 0.5));
      const length = Math.hypot(...vector);
      return vector.map((value) => value / length);
    }),
  );
}

describe('clusterVectors', () => {
  it('joins what is alike on average, and nothing else', async () => {
    const vectors = around([4, 1, 3], 0.3);
    expect(await clusterVectors(vectors, 0.6)).to.deep.equal([[0, 1, 2, 3], [4], [5, 6, 7]]);
    expect(await clusterVectors(vectors, 1.01)).to.deep.equal(vectors.map((_, i) => [i]));
    expect(await clusterVectors(vectors, -1)).to.deep.equal([[0, 1, 2, 3, 4, 5, 6, 7]]);
    expect(await clusterVectors([], 0.5)).to.deep.equal([]);
  });

  it('finds the same groups whatever the order', async () => {
    const vectors = around([30, 20, 10], 0.5);
    const order = vectors.map((_, i) => (i * 7) % 60);
    const shuffled = order.map((i) => vectors[i] as Float32Array);
    const groups = (await clusterVectors(shuffled, 0.5)).map((group) =>
      group.map((i) => order[i] ?? -1).sort((a, b) => a - b),
    );
    const straight = await clusterVectors(vectors, 0.5);
    expect(groups.sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0))).to.deep.equal(straight);
    expect(straight.map((group) => group.length)).to.deep.equal([30, 20, 10]);
  });
});

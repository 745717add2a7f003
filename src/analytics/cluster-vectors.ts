import { setImmediate as nextTurn } from 'node:timers/promises';

/** After so many milliseconds other requests run. */
const MAX_TURN_MS = 5;

interface Cluster {
  members: number[];
  sum: Float64Array;
  /** The nearest cluster behind this one, and how alike they are. */
  nearest: number;
  likeness: number;
}

/**
 * Groups unit vectors: the two groups whose members are most alike on average are joined, as long as that average is at
 * least `minLikeness`. The average is one product, that of the groups' sums. A thousand vectors take half a second.
 * @returns the vectors' places, by group; the groups in the order of their first
 */
export async function clusterVectors(vectors: readonly Float32Array[], minLikeness: number): Promise<number[][]> {
  const clusters: (Cluster | undefined)[] = vectors.map((vector, place) => ({
    members: [place],
    sum: Float64Array.from(vector),
    nearest: -1,
    likeness: -1,
  }));
  let until = performance.now() + MAX_TURN_MS;
  const findNearest = async (at: number): Promise<void> => {
    const one = clusters[at];
    if (!one) return;
    one.nearest = -1;
    one.likeness = -1;
    for (let other = at + 1; other < clusters.length; other++) compare(one, at, other);
    if (performance.now() < until) return;
    await nextTurn();
    until = performance.now() + MAX_TURN_MS;
  };
  const compare = (one: Cluster, at: number, other: number): void => {
    const their = clusters[other];
    if (!their || other === at) return;
    const likeness = averageLikeness(one, their);
    if (likeness > one.likeness) [one.nearest, one.likeness] = [other, likeness];
  };
  for (let at = 0; at < clusters.length; at++) await findNearest(at);
  for (;;) {
    let best: Cluster | undefined;
    let bestAt = -1;
    for (const [at, one] of clusters.entries())
      if (one && one.likeness > (best?.likeness ?? -1)) [best, bestAt] = [one, at];
    if (!best || best.likeness < minLikeness) break;
    const gone = best.nearest;
    const joined = clusters[gone];
    if (!joined) break;
    best.members.push(...joined.members);
    for (let i = 0; i < best.sum.length; i++) best.sum[i] = (best.sum[i] ?? 0) + (joined.sum[i] ?? 0);
    clusters[gone] = undefined;
    for (const [at, one] of clusters.entries()) {
      if (!one) continue;
      if (at === bestAt || one.nearest === gone || one.nearest === bestAt) await findNearest(at);
      else if (at < bestAt) compare(one, at, bestAt);
    }
  }
  return clusters.flatMap((one) => (one ? [one.members.sort((a, b) => a - b)] : []));
}

function averageLikeness(a: Cluster, b: Cluster): number {
  let product = 0;
  for (let i = 0; i < a.sum.length; i++) product += (a.sum[i] ?? 0) * (b.sum[i] ?? 0);
  return product / (a.members.length * b.members.length);
}

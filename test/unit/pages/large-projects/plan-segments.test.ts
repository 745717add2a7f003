import { expect } from 'chai';
import {
  MAX_SEGMENTS,
  planBuild,
  type SegmentBuild,
  segmentsToSweep,
} from '#src/pages/large-projects/plan-segments.js';

const OWN = 20_000;
const due = (segments: number[], tail: number, quiet = false): SegmentBuild | undefined =>
  planBuild(OWN, { segments, tail, quiet });

/** Returns a project's segments after `arrivals`: each is the number of passages that came between two builds. */
function afterImport(arrivals: readonly number[], ownIndexChunks = OWN): { segments: number[]; built: number } {
  const segments: number[] = [];
  let built = 0;
  let tail = 0;
  for (const arrived of arrivals) {
    tail += arrived;
    for (
      let next = planBuild(ownIndexChunks, { segments, tail, quiet: false });
      next;
      next = planBuild(ownIndexChunks, { segments, tail, quiet: false })
    ) {
      const takesTail = next.end > segments.length;
      const merged = segments.slice(next.from, next.end).reduce((sum, size) => sum + size, takesTail ? tail : 0);
      segments.splice(next.from, next.end - next.from, merged);
      if (takesTail) tail = 0;
      built += merged;
    }
  }
  return { segments, built };
}

describe("segments of a project's own indexes", () => {
  it('begin when the project has become large', () => {
    expect(due([], OWN - 1)).to.equal(undefined);
    expect(due([], OWN)).to.deep.equal({ from: 0, end: 1 });
  });

  it('never begin where own indexes are switched off', () => {
    expect(planBuild(0, { segments: [], tail: 1_000_000, quiet: true })).to.equal(undefined);
  });

  it('take the unindexed tail by itself, and not with what is covered already', () => {
    expect(due([1_000_000], OWN / 2 - 1)).to.equal(undefined);
    expect(due([1_000_000], OWN / 2)).to.deep.equal({ from: 1, end: 2 });
  });

  it('are put together by the cheapest neighbours when they are too many', () => {
    const many = [90_000, 20_000, 30_000, 11_000, 12_000, 40_000, 15_000];
    expect(many).to.have.length(MAX_SEGMENTS + 1);
    expect(due(many, 0)).to.deep.equal({ from: 3, end: 5 });
    expect(due(many, OWN), 'what is scanned goes first').to.deep.equal({ from: 7, end: 8 });
    expect(due(many, OWN / 2 + 1), 'when it is more than what one more would cost').to.deep.equal({ from: 3, end: 5 });
  });

  it('are covered by ever larger ones while the builder is behind, but by what counts as tail', () => {
    for (let count = 1; count < 100; count++) {
      const segments = Array.from({ length: count }, () => 10_000);
      expect(due(segments, 10 * OWN), `after ${count} segments`).to.deep.equal({ from: count, end: count + 1 });
    }
  });

  it('are put together when it is quiet, so far as the tail is a third of what is before it', () => {
    expect(due([1_000_000, 20_000, 20_000], 0)).to.equal(undefined);
    expect(due([1_000_000, 20_000, 20_000], 0, true)).to.deep.equal({ from: 1, end: 4 });
    expect(due([100_000, 20_000, 20_000], 0, true)).to.deep.equal({ from: 0, end: 4 });
    expect(due([1_000_000, 40_000], 0, true)).to.equal(undefined);
    expect(due([50_000], 9_000, true)).to.equal(undefined);
  });

  it('are swept when a hundredth of their pages has changed or gone, and of less once a day', () => {
    const segments = [
      { pages: 900, swept_seconds: 90_000 },
      { pages: 90, swept_seconds: 60 },
    ];
    const sweep = (pages: number, of: Parameters<typeof segmentsToSweep>[0]['segments'] = segments) =>
      segmentsToSweep({ segments: of, tail_pages: 10, pages });
    expect(sweep(1_000), 'nothing is stale, as far as the number of pages tells').to.deep.equal([segments[0]]);
    expect(sweep(990)).to.deep.equal(segments);
    expect(sweep(991)).to.deep.equal([segments[0]]);
  });

  it('stay few and cheap while a million passages arrive', () => {
    const { segments, built } = afterImport(Array.from({ length: 100 }, () => 10_000));
    expect(segments.reduce((sum, size) => sum + size, 0)).to.equal(1_000_000);
    expect(segments.length).to.be.at.most(MAX_SEGMENTS);
    // Each passage is built into a graph some times. Building all anew whenever a tenth more arrived would take ten
    // times as many builds.
    expect(built / 1_000_000).to.be.below(10);
  });
});

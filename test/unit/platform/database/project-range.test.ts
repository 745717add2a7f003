import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { rangeOf, type ProjectRange } from '#src/platform/database/project-range.js';

const holds = ({ from, to }: ProjectRange, id: string): boolean => id >= from && id <= to;
const ENDS = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

const ALL_PROJECTS = rangeOf({ projects: 0, pages: 0 }, 0);

describe('the projects of a run of maintenance', () => {
  it('are all of them on a small server, at any hour', () => {
    for (const run of [0, 1, 7, 498_765])
      expect(rangeOf({ projects: 10_000, pages: 1_000_000 }, run)).to.deep.equal(ALL_PROJECTS);
    for (const id of ENDS) expect(holds(ALL_PROJECTS, id)).to.equal(true);
  });

  it('are each once the turn in as many runs as there are slices, and in each about as many', () => {
    const ids = [...ENDS, ...Array.from({ length: 7_000 }, () => randomUUID())];
    for (const size of [
      { projects: 65_000, pages: 65_000 },
      { projects: 3, pages: 6_500_000 },
    ]) {
      const slices = Array.from({ length: 7 }, (_, run) => rangeOf(size, 498_765 + run));
      for (const id of ids) expect(slices.filter((slice) => holds(slice, id)).length, id).to.equal(1);
      for (const slice of slices) expect(ids.filter((id) => holds(slice, id)).length).to.be.within(700, 1_300);
    }
  });
});

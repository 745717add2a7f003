import { expect } from 'chai';
import { adviseList, measureList } from '../../../scripts/eval/lists.js';

const cases = ['/a', '/b', '/c', '/d'].map((path) => ({ input: path, right: [path], kind: '' }));
const answers = [
  [
    { url: '/a', score: 0.9 },
    { url: '/x', score: 0.05 },
  ],
  [
    { url: '/x', score: 0.8 },
    { url: '/b', score: 0.3 },
  ],
  [
    { url: '/x', score: 0.4 },
    { url: '/y', score: 0.3 },
    { url: '/z', score: 0.2 },
    { url: '/c', score: 0.1 },
  ],
  [],
];

describe('eval: lists "did you mean"', () => {
  it('counts a right page only among the first three links that reach the threshold', () => {
    expect(measureList(cases, answers, 0.7)).to.deep.equal({ threshold: 0.7, right_shown: 0.25, shown: 0.5, links: 1 });
    expect(measureList(cases, answers, 0.1)).to.deep.equal({ threshold: 0.1, right_shown: 0.5, shown: 0.75, links: 2 });
  });

  it('recommends the highest threshold that hides no right page which three links can show', () => {
    expect(adviseList(cases, answers).threshold).to.equal(0.3);
  });

  it('says 0 where even the lowest threshold hides too many', () => {
    const faint = cases.map(({ input }) => [{ url: input, score: 0.01 }]);
    expect(adviseList(cases, faint)).to.deep.include({ threshold: 0, right_shown: 1 });
  });
});

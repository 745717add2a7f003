import { expect } from 'chai';
import { versionPatterns, versionsOf } from '#src/text/paths/codes.js';

describe('versions in a path', () => {
  it('are two to four short numbers side by side in a segment, without a year', () => {
    expect(versionsOf(['go', 'v3-0-4', 'notes-03-1'])).to.deep.equal([
      ['3', '0', '4'],
      ['3', '1'],
    ]);
    expect(versionsOf(['2016-12-14', '1-2-3-4-5', '7', `${'1'.repeat(900)}-${'1'.repeat(900)}`])).to.deep.equal([]);
  });

  it('are looked for in at most four patterns, whatever stands between the numbers', () => {
    const many = Array.from({ length: 500 }, (_, i) => `1-${i % 100}`);
    expect(versionPatterns(versionsOf(many))).to.deep.equal(['%1_0%', '%1_1%', '%1_2%', '%1_3%']);
  });
});

import { expect } from 'chai';
import { isOlder } from '#src/sources/web/lastmod.js';

/** A page that was read at this time, with a lastmod for which it is read again, and one for which it is not. */
const READ_AT = new Date('2026-11-29T09:30:00Z');
const CASES: [string, boolean][] = [
  // A page may change on that day once more.
  ['2026-11-29', false],
  // Where the site is, the day may not have ended.
  ['2026-11-28', false],
  ['2026-11-27', true],
  ['2026-11', false],
  ['2026-10', true],
  ['2026', false],
  ['2025', true],
  // Site generators write a day so.
  ['2026-11-29T00:00:00+00:00', false],
  ['2026-11-29T00:00Z', false],
  ['2026-11-27T00:00:00+00:00', true],
  ['2026-11-29T09:00:00Z', true],
  ['2026-11-29T09:00:00.5Z', true],
  ['2026-11-29T10:00:00+01:00', true],
  ['2026-11-29T10:00:00+0100', true],
  ['2026-11-29T09:00Z', true],
  // Within the same minute, and later than the read: a clock that is ahead.
  ['2026-11-29T09:30Z', false],
  ['2026-11-29T09:45:00Z', false],
  ['2026-12-24', false],
  // These have no zone, or no known form.
  ['2026-11-29 09:00:00', false],
  ['2026-11-28T09:00:00', true],
  ['29.11.2026', false],
  ['yesterday', false],
  ['', false],
];

describe('the lastmod of a page', () => {
  for (const [lastmod, isKnown] of CASES)
    it(`${isKnown ? 'shows' : 'does not show'} that it is as it was read: ${JSON.stringify(lastmod)}`, () => {
      expect(isOlder(lastmod, READ_AT)).to.equal(isKnown);
    });

  it('shows nothing of a page whose reading has no time', () => {
    expect(isOlder('2020-01-01', undefined)).to.equal(false);
  });
});

import { expect } from 'chai';
import { prepareRedirects, type RedirectEvidence } from '#src/search/ranking/evidence/redirect-evidence.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { knownRedirect, livePath } from '../../../../support/live-path.js';

/** Evidence for a live path, where these redirects are known. */
function evidenceOf(dead: string, live: string, redirects: readonly (readonly [string, string])[]): RedirectEvidence {
  const path = readDeadPath(dead);
  const known = redirects.map(([oldPath, page]) => knownRedirect(oldPath, page));
  return prepareRedirects(path, path.words, known, () => 1).compare(live, livePath(live));
}

const MOVED = [
  ['/help/pens', '/support/writing/fountain-pens'],
  ['/help/ink', '/support/writing/ink-and-refills'],
  ['/help/paper', '/support/writing/paper'],
] as const;
const MERGED = [
  ['/faq/usajobs/relink', '/account'],
  ['/faq/usajobs/locked-out', '/account'],
  ['/faq/usajobs/new-phone', '/account'],
] as const;
const RENAMED = [
  ['/dtr/install', '/registry/set-up'],
  ['/engine/dtr-backup', '/ee/registry-backups'],
] as const;

describe('the evidence of redirects near a dead path', () => {
  it('is nothing without redirects', () => {
    expect(Object.values(evidenceOf('/help/nibs', '/support/writing/nibs', []))).to.deep.equal([0, 0, 0, 0]);
  });

  it('speaks for the section to which the dead path\u2019s section went', () => {
    const there = evidenceOf('/help/nibs', '/support/writing/nibs', MOVED);
    const near = evidenceOf('/help/nibs', '/support/nibs', MOVED);
    const elsewhere = evidenceOf('/help/nibs', '/jobs/writing/nibs', MOVED);
    expect(there.redirectedSection).to.equal(0.75);
    expect(near.redirectedSection).to.equal(0.375);
    expect(elsewhere.redirectedSection).to.equal(0);
    expect(there.redirectedFolder).to.be.above(near.redirectedFolder);
  });

  it('speaks for the page that others of the section were merged into', () => {
    const page = evidenceOf('/faq/usajobs/lost-key', '/account', MERGED);
    expect(page.redirectedPage).to.be.above(0.5);
    expect(evidenceOf('/faq/usajobs/lost-key', '/keys', MERGED).redirectedPage).to.equal(0);
    expect(evidenceOf('/shop/ink-blue', '/account', MERGED).redirectedPage).to.be.below(0.2);
  });

  it('learns by which word another was replaced, and not where the word stayed', () => {
    const renamed = evidenceOf('/dtr/upgrade', '/admin/registry/upgrade', RENAMED).renamedWords;
    expect(renamed).to.be.closeTo(1 / 3, 0.01);
    expect(evidenceOf('/dtr/upgrade', '/admin/dtr-registry', RENAMED).renamedWords).to.equal(0);
    expect(evidenceOf('/dtr/upgrade', '/admin/upgrade', RENAMED).renamedWords).to.equal(0);
  });

  it('is between 0 and 1 for any path', () => {
    for (const dead of ['/', '/a', `/${'x-1-'.repeat(500)}`, '/%e0%a4%a', '/help/help/help']) {
      for (const live of ['/', '/a', '/support/writing/help', `/${'y/'.repeat(500)}`])
        for (const value of Object.values(evidenceOf(dead, live, [...MOVED, ...MERGED, ['/', '/'], [dead, live]])))
          expect(value).to.be.within(0, 1);
    }
  });
});

import { expect } from 'chai';
import { addRewritten, findRewrittenPages, type RewrittenPage } from '#src/search/ranking/evidence/rewritten-pages.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { knownRedirect, livePath } from '../../../../support/live-path.js';

function find(dead: string, redirects: readonly (readonly [string, string])[], live: readonly string[]): string[] {
  const pages = live.map((path, at) => ({ pageId: `${at} ${path}`, path, live: livePath(path) }));
  const known = redirects.map(([oldPath, page]) => knownRedirect(oldPath, page));
  return [...findRewrittenPages(readDeadPath(dead), known, pages).keys()];
}

const MOVED = [['/a/pens', '/b/the-pens']] as const;

describe('pages to which redirects rewrite a dead path', () => {
  it('are all candidates with that path, on any host and in any spelling', () => {
    expect(find('/a/ink', MOVED, ['/b/the-ink', '/b/the-paper', '/b/The_Ink.html'])).to.deep.equal([
      '0 /b/the-ink',
      '2 /b/The_Ink.html',
    ]);
  });

  it('have no query string, and neither have their redirects', () => {
    expect(find('/a/ink', MOVED, ['/b/the-ink?page=2'])).to.deep.equal([]);
    expect(find('/a/ink', [['/a/pens?id=3', '/b/the-pens']], ['/b/the-ink'])).to.deep.equal([]);
    expect(find('/a/ink', [['/a/pens', '/b/the-pens?id=3']], ['/b/the-ink'])).to.deep.equal([]);
    expect(find('/a/ink?from=mail', MOVED, ['/b/the-ink'])).to.deep.equal(['0 /b/the-ink']);
  });

  it('are not looked for where a path is longer than 250 characters', () => {
    const long = 'ink'.repeat(82);
    expect(find(`/a/${long}`, MOVED, [`/b/the-${long}`])).to.deep.equal([]);
    expect(find('/a/ink', [[`/a/${long}`, `/b/the-${long}z`]], ['/b/the-ink'])).to.deep.equal([]);
    expect(find('/a/inkpot', MOVED, ['/b/the-inkpot'])).to.have.length(1);
  });

  it('share what moves leave open for them', () => {
    const example = knownRedirect('/a/pens', '/b/the-pens');
    const rewritten = new Map<string, RewrittenPage>([
      ['ink', { example, support: 4, contradictions: 0, confidence: 0.8 }],
    ]);
    expect(addRewritten(new Map(), rewritten).get('ink')).to.equal(0.8);
    expect(addRewritten(new Map([['ink', 0.9]]), rewritten).get('ink')).to.equal(0.9);
    expect(addRewritten(new Map([['pens', 1]]), rewritten).get('ink')).to.equal(0);
    expect(addRewritten(new Map([['pens', 0.5]]), rewritten).get('ink')).to.equal(0.4);
  });
});

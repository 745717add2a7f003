import { expect } from 'chai';
import { readCertainty, type CertaintyFacts } from '#src/search/ranking/evidence/certainty-facts.js';
import { readLivePath } from '#src/search/ranking/evidence/page-path.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { sanitizePath } from '#src/text/paths/sanitize-path.js';

/** Compares a dead path and a live one, on a site with more pages and these words; without what is 0. */
function factsOf(dead: string, live: string, siblings: readonly string[], written: string): Partial<CertaintyFacts> {
  const [first, ...rest] = [live, ...siblings].map((path) => {
    const { words, slug } = sanitizePath(path);
    return readLivePath({ path, path_words: words.join(' '), slug_words: slug.join(' ') });
  });
  if (!first) throw new Error('no live path');
  const words = new Set(written.split(' '));
  const facts = readCertainty(readDeadPath(dead), [first, ...rest], (word) => words.has(word))(first);
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== 0));
}

describe('what tells a page that was taken off from one that moved', () => {
  it('is another page of a folder that still has pages, and a word that the site uses elsewhere', () => {
    const written = 'integrations github gitlab jira';
    expect(factsOf('/integrations/github', '/integrations/gitlab', ['/integrations/jira'], written)).to.deep.equal({
      otherInFolder: 1,
      knownWordsMissing: 1,
    });
  });

  it('is no slip where the word is one of the site, and is one where nobody writes it', () => {
    const site = ['/components/buttons', '/components/tabs'];
    expect(factsOf('/components/table', '/components/tabs', site, 'components table tabs')).not.to.have.property(
      'isSlip',
    );
    expect(factsOf('/components/tasb', '/components/tabs', site, 'components table tabs')).to.have.property(
      'isSlip',
      1,
    );
  });

  it('is that the answer is a folder of the path, or stands below it', () => {
    expect(factsOf('/docs/billing/refunds', '/docs/billing', [], 'docs billing refunds')).to.include({ isAncestor: 1 });
    expect(factsOf('/docs/billing', '/docs/billing/refunds', [], 'docs billing refunds')).to.include({ isBelow: 1 });
    expect(factsOf('/docs/billing', '/', [], 'docs billing')).to.include({ isAncestor: 1 });
  });

  it('is not rubbish behind the path of a page, nor the form that it was asked for in', () => {
    for (const end of ['/print/', '/feed', '/)', '/%20', '/download/'])
      expect(factsOf(`/docs/billing${end}`, '/docs/billing', ['/docs/start'], 'docs billing print'), end).to.deep.equal(
        {},
      );
  });

  it('is not a path that was cut off within a word', () => {
    expect(factsOf('/about/definiti', '/about/definitions', ['/about/us'], 'about definitions')).to.deep.equal({
      otherInFolder: 1,
      isCut: 1,
    });
  });

  it('is a page elsewhere while the folder still has pages, but not where the folder moved', () => {
    const facts = (siblings: string[]) =>
      factsOf('/string/replace', '/symbol/replace', siblings, 'string symbol replace');
    expect(facts(['/string/split'])).to.deep.equal({ leavesFolder: 1, knownWordsMissing: 1 });
    expect(facts([])).to.deep.equal({ knownWordsMissing: 1 });
  });

  it('counts words in another form, or misspelt, as those that the answer has', () => {
    const written = 'help account reset resetting password';
    expect(factsOf('/help/resetting-pasword', '/account/help/reset-password', [], written)).to.deep.equal({});
  });

  it('is another form of the same name only where the folder has both forms of some name', () => {
    const written = 'help return returns order orders';
    expect(factsOf('/help/return', '/help/returns', ['/help/orders'], written)).to.deep.equal({});
    expect(factsOf('/help/return', '/help/returns', ['/help/order', '/help/orders'], written)).to.deep.equal({
      otherInFolder: 1,
    });
  });
});

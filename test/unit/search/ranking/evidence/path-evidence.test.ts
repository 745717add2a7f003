import { expect } from 'chai';
import { createLivePathCache, readLivePath } from '#src/search/ranking/evidence/page-path.js';
import { preparePath, type PathEvidence, type PreparedPath } from '#src/search/ranking/evidence/path-evidence.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { stem } from '#src/text/words/word-forms.js';
import { dice, sortedTrigrams, trigramsOf } from '#src/text/words/likeness.js';
import { livePath } from '../../../../support/live-path.js';

function prepare(dead: string, weight: (word: string) => number): PreparedPath {
  const path = readDeadPath(dead);
  return preparePath(path, path.words, weight);
}

function compare(dead: string, live: string, weight: (word: string) => number = () => 1): PathEvidence {
  return prepare(dead, weight).compare(livePath(live));
}

describe('the evidence of a path', () => {
  it('is 1 throughout for the same path, except where that says nothing', () => {
    const { shallow, slugIsFolder, ...likeness } = compare('/pens/blue-ink', '/pens/blue-ink');
    for (const value of Object.values(likeness)) expect(value).to.equal(1);
    expect([shallow, slugIsFolder]).to.deep.equal([1 / 3, 0]);
  });

  it('does not see ending, index file, case or encoding', () => {
    const plain = compare('/pens/blue-ink', '/pens/blue-ink');
    expect(compare('/Pens/Blue%20Ink.php', '/pens/blue-ink/index.html')).to.deep.equal(plain);
  });

  it('takes accents, umlauts and what slugs write for them as one', () => {
    const plain = compare('/pens/blue-ink', '/pens/blue-ink');
    for (const [dead, live] of [
      ['/gu%C3%ADas/configuraci%C3%B3n', '/guias/configuracion'],
      ['/losning/pakobling', '/løsning/påkobling'],
    ] as const)
      expect(compare(dead, live)).to.deep.equal(plain);
    for (const dead of ['/über-köln/größe', '/ueber-koeln/groesse', '/uber-koln/grosse'])
      expect(compare(dead, '/ueber-koeln/groesse').words, dead).to.equal(1);
    expect(compare('/paakobling', '/pakobling').words).to.equal(1);
    expect(compare('/pan', '/pen').words).to.equal(0);
  });

  it('finds nothing alike in strangers', () => {
    const evidence = compare('/pens/blue-ink', '/about/team/jobs');
    expect(evidence.words + evidence.slugTrigrams + evidence.nearCopy).to.equal(0);
    expect(evidence.pathTrigrams).to.be.below(0.2);
    expect(evidence.slugEdit).to.equal(0);
    expect(evidence.prefix).to.equal(0);
    expect(evidence.depth).to.equal(0.5);
  });

  it('lets rare words weigh more than common ones', () => {
    const weight = (word: string): number => (word === 'guide' ? 0.1 : 1);
    const rare = compare('/guide-fountain', '/fountain', weight).words;
    expect(rare).to.be.above(compare('/guide-fountain', '/guide', weight).words);
  });

  it('meets plurals and -ing forms', () => {
    expect(compare('/writing-policies', '/write-policy').words).to.equal(1);
  });

  it('sees through missing separators by trigrams', () => {
    expect(compare('/pensafety', '/pen-safety').slugTrigrams).to.equal(1);
    expect(compare('/pensafety', '/pen-safety').words).to.equal(0);
  });

  it('counts slips of the whole path letter by letter, so that codes with two digits swapped are near', () => {
    const near = (dead: string, live: string): number => compare(dead, live).pathEdit;
    expect(near('/errors/nu5218', '/errors/nu5128')).to.be.closeTo(Math.exp(-1), 1e-9);
    expect(near('/errrors/nu5218', '/errors/nu5128')).to.be.closeTo(Math.exp(-2), 1e-9);
    expect(near('/errors/nu5218', '/errors')).to.equal(0);
    expect(near('/blog/chrome7-0', '/blog/chrome-70')).to.equal(1);
    expect(near('/a', '/pens')).to.be.below(0.05);
    expect(near(`/${'a'.repeat(400)}x`, `/b${'a'.repeat(400)}`), 'too long to compare').to.equal(0);
  });

  it('holds differing numbers against a page', () => {
    expect(compare('/web-3', '/web-3').numbers).to.equal(1);
    expect(compare('/web-3', '/web-03').numbers).to.equal(1);
    expect(compare('/web-3', '/web-2').numbers).to.equal(0);
    expect(compare('/plan-fy20q3', '/plan-fy20q4').numbers).to.be.below(1);
    expect(compare('/web-3', '/web').numbers).to.equal(0.5);
    expect(compare('/bulletins/018/', '/bulletins/017/').numbers).to.equal(0);
  });

  it('takes dates, versions and numbers of the whole path for identities, however they are written', () => {
    const agree = (dead: string, live: string): number => compare(dead, live).noOtherNumber;
    expect(agree('/updates/2016-12-14-release-notes/', '/2016/12/14/release-notes/')).to.equal(1);
    expect(agree('/updates/2016-12-14-release-notes/', '/2016/12/07/release-notes/')).to.equal(0);
    expect(agree('/doc/3.1/notes', '/manual/3.1/notes')).to.equal(1);
    expect(agree('/doc/3.1/notes', '/doc/3.0/notes')).to.equal(0);
    expect(agree('/2016/12/14/notes', '/notes')).to.equal(1);
    expect(agree('/notes', '/notes-2')).to.equal(1);
    expect(agree('/11/1', '/1/1')).to.equal(0);
    expect(agree('/news/release-3.0.4', '/announcing-3.0.4/')).to.equal(1);
    expect(agree('/news/release-3.0.4', '/announcing-4.0.3/'), 'the same numbers, another version').to.equal(0);
    expect(agree('/14-12-2016-notes', '/2016/12/14/notes')).to.equal(1);
  });

  it('knows a page whose folder changed a little, or whose name was a folder or part of a name', () => {
    expect(compare('/help/kettles/k-40', '/help/kettle/limescale').folderTrigrams).to.be.above(0.7);
    expect(compare('/help/kettles/k-40', '/jobs/limescale').folderTrigrams).to.be.below(0.2);
    expect(compare('/help/kettles/k-40', '/shop/kettles').slugIsFolder).to.equal(1);
    expect(compare('/help/kettles', '/shop/kettles').slugIsFolder).to.equal(0);
    expect(compare('/admin-ui-x', '/docs/ui-x').slugWithin).to.be.within(0.6, 0.8);
    expect(compare('/x', '/docs/ui-x').slugWithin).to.equal(0);
    expect(compare('/', '/docs').slugWithin).to.equal(0);
  });

  it('tells languages apart', () => {
    const same = (dead: string, live: string): number => compare(dead, live).sameLanguage;
    expect(same('/vi/news/2-2-has-endded', '/vi/news/2-2-has-ended')).to.equal(1);
    expect(same('/vi/news/2-2-has-endded', '/en/news/2-2-has-ended')).to.equal(0);
    expect(same('/pt-br/docs/a', '/pt/docs/a')).to.equal(1);
    expect(same('/news/2-2', '/en/news/2-2')).to.equal(0.5);
    expect(same('/docs/zh_CN/a', '/docs/ja/a')).to.equal(0);
    expect(same('/shop/de', '/shop/fr')).to.equal(1);
    expect(same('/de/a', '/de'), 'where a language begins').to.equal(1);
    expect(same('/de/a', '/fr')).to.equal(0);
    expect(same('/a', '/de')).to.equal(0.5);
  });

  it('prefers an overview to a page far below', () => {
    expect(compare('/a', '/pens').shallow).to.be.above(compare('/a', '/pens/blue/ink').shallow);
  });

  it('does not take chance for likeness', () => {
    expect(compare('/topics/iot', '/topics/innovation').slugTrigrams).to.equal(0);
    expect(compare('/topics/iot', '/topics/innovation').slugEdit).to.equal(0);
    expect(compare('/topics/inovation', '/topics/innovation').slugEdit).to.be.within(0.7, 0.99);
  });

  it('takes a page of a list for the list', () => {
    expect(compare('/bulletins/018/page/2/', '/bulletins/018/')).to.deep.equal(
      compare('/bulletins/018/', '/bulletins/018/'),
    );
    expect(compare('/page/2/', '/page/2/').slugTrigrams).to.equal(1);
  });

  it('counts the segments that both begin with', () => {
    expect(compare('/a1/b1/c1/d1', '/a1/b1/x1').prefix).to.equal(0.5);
    expect(compare('/a1/b1', '/a1').prefix).to.equal(0.5);
  });

  it('stays within 0 and 1 for anything', () => {
    const long = `/${'a-'.repeat(1000)}`;
    const paths = ['/', '', '/🎉', '/a', '/文档', long, '/a/a/a-a', '/%', '/\ud800', '/__proto__', '/1/2'];
    for (const dead of paths) {
      const prepared = prepare(dead, (word) => word.length / 64);
      for (const live of paths) {
        const evidence = prepared.compare(livePath(live));
        for (const [name, value] of Object.entries(evidence)) expect(value, `${name} ${live}`).to.be.within(0, 1);
      }
    }
  });

  it('gives the same answers in any order', () => {
    const dead = '/pens/blue-ink';
    const prepared = prepare(dead, () => 1);
    const lives = ['/pens/ink', '/x', '/pens/blue'].map(livePath);
    const once = lives.map((live) => prepared.compare(live));
    expect(
      lives
        .toReversed()
        .map((live) => prepared.compare(live))
        .toReversed(),
    ).to.deep.equal(once);
  });
});

describe('live paths', () => {
  it('are read once, and anew when the page was indexed with other words', () => {
    const paths = createLivePathCache();
    const pens = { path: '/pens/blue-ink', path_words: 'pens blue ink', slug_words: 'blue ink' };
    expect(paths.read({ ...pens })).to.equal(paths.read({ ...pens }));
    const changed = paths.read({ ...pens, path_words: 'pens blue', slug_words: 'blue' });
    expect(changed).to.deep.equal(readLivePath({ ...pens, path_words: 'pens blue', slug_words: 'blue' }));
    expect(paths.read(pens)).to.deep.equal(readLivePath(pens));
  });

  it('are kept up to a number of them', () => {
    const paths = createLivePathCache();
    const first = paths.read({ path: '/first', path_words: 'first', slug_words: 'first' });
    for (let i = 0; i < 5_000; i++) paths.read({ path: `/p${i}`, path_words: 'p', slug_words: 'p' });
    expect(paths.read({ path: '/first', path_words: 'first', slug_words: 'first' })).to.not.equal(first);
  });
});

describe("Dice's coefficient of trigrams", () => {
  const compared = (a: string, b: string): number => dice(sortedTrigrams(a), sortedTrigrams(b));

  it('is 1 for equal texts, 0 for strangers and empty ones', () => {
    expect(compared('pen', 'pen')).to.equal(1);
    expect(compared('pen', 'oak')).to.equal(0);
    expect(compared('', '')).to.equal(0);
    expect(compared('p', '')).to.equal(0);
  });

  it('counts repeats', () => {
    expect(compared('aaaa', 'aaaaaaaa')).to.equal((2 * 5) / (5 + 9));
  });

  it('is what counting by hand gives', () => {
    const texts = ['p', 'pen', 'oak', 'aaaa', 'help/kettles/k-40', 'help/kettle/limescale', 'ärger/文档'];
    for (const a of texts)
      for (const b of texts) {
        const [trigrams, left] = [trigramsOf(a), trigramsOf(b)];
        let common = 0;
        for (const trigram of trigrams) {
          const at = left.indexOf(trigram);
          if (at < 0) continue;
          left.splice(at, 1);
          common++;
        }
        expect(compared(a, b), `${a} ${b}`).to.equal((2 * common) / (trigrams.length + left.length + common));
      }
  });
});

describe('stem', () => {
  it('brings together forms of a word, and leaves short and foreign ones', () => {
    const alike = ['policies policy', 'writing write', 'getting get', 'started start', 'boxes box'];
    for (const [a = '', b = ''] of alike.map((pair) => pair.split(' '))) expect(stem(a), a).to.equal(stem(b));
    const unchanged = ['bus', 'us', 'ring', 'status', 'glass', 'café', '文档', 'k40s'];
    for (const word of unchanged) expect(stem(word)).to.equal(word);
  });
});

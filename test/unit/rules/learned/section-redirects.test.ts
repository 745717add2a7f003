import { expect } from 'chai';
import { proposeSectionRedirects, type RedirectedPath } from '#src/rules/learned/propose-section-redirects.js';
import { weighSectionRedirects, type SectionRedirect } from '#src/rules/learned/weigh-section-redirects.js';
import { applySectionRedirects as movedSegments } from '#src/search/ranking/learned-redirects/weigh-redirects.js';
import { plainPath } from '#src/text/paths/plain-path.js';

const applySectionRedirects = (path: string, ...known: Tail<Parameters<typeof movedSegments>>) =>
  movedSegments(plainPath(path).segments, ...known);
type Tail<List extends unknown[]> = List extends [unknown, ...infer Rest] ? Rest : never;

const deriveSectionMoves = (moved: readonly RedirectedPath[], live: ReadonlySet<string>): SectionRedirect[] =>
  weighSectionRedirects(proposeSectionRedirects(moved), live);

const derive = (moved: [string, string, number?][], livePages: string[] = []): SectionRedirect[] =>
  deriveSectionMoves(
    moved.map(([from, to, weight = 1]) => ({ from: plainPath(from).segments, to: plainPath(to).segments, weight })),
    new Set(livePages),
  );

/** The support of each redirect, by `old → new`. */
const shown = (moves: readonly SectionRedirect[]): Record<string, number> =>
  Object.fromEntries(moves.map(({ oldPrefix, newPrefix, support }) => [`${oldPrefix} → ${newPrefix}`, support]));

describe('section moves', () => {
  for (const [name, from, to, section] of [
    ['a renamed section', '/manual/i14y-drawers.html', '/developer/i14y-drawers.html', '/manual → /developer'],
    [
      'a section that went deeper',
      '/statetax/ohio',
      '/smarttax/tax-information-by-state/ohio',
      '/statetax → /smarttax/tax-information-by-state',
    ],
    ['a prefix that was put in front', '/2016/05/x', '/blog/2016/05/x', ' → /blog'],
    ['a prefix that was taken away', '/site/help/x', '/help/x', '/site → '],
    ['whatever the spelling', '/Old_Docs/My%20Page.HTML', '/new-docs/my-page/', '/old-docs → /new-docs'],
    ['an index file', '/old/start/index.php', '/new/start/', '/old → /new'],
  ] as const) {
    it(`one moved path shows ${name}`, () => {
      expect(shown(derive([[from, to]]))).to.have.property(section, 1);
    });
  }

  for (const [name, from, to] of [
    ['whose last segments differ', '/old/x', '/new/y'],
    ['that only changed its ending and case', '/Docs/x.html', '/docs/x/'],
    ['that became the home page', '/old/x', '/'],
    ['that was the home page', '/', '/new'],
    ['with more than 16 segments', `/a${'/b'.repeat(16)}`, `/z${'/b'.repeat(16)}`],
    ['longer than 500 characters', `/a/${'b'.repeat(500)}`, `/z/${'b'.repeat(500)}`],
  ] as const) {
    it(`a path ${name} shows nothing`, () => {
      expect(derive([[from, to]])).to.deep.equal([]);
    });
  }

  it('support counts the moved paths, and confidence grows with it', () => {
    const moved = Array.from({ length: 20 }, (_, i): [string, string] => [`/old/${i}`, `/new/${i}`]);
    const confidences = [1, 2, 5, 20].map((n) => {
      const moves = derive(moved.slice(0, n));
      expect(shown(moves)).to.deep.equal({ '/old → /new': n });
      return moves[0]?.confidence;
    });
    expect(confidences).to.deep.equal([0.83, 0.86, 0.9, 0.96]);
  });

  it('a path that is known half needs another one', () => {
    expect(derive([['/old/x', '/new/x', 0.5]])).to.deep.equal([]);
    expect(
      shown(
        derive([
          ['/old/x', '/new/x', 0.5],
          ['/old/y', '/new/y', 0.5],
        ]),
      ),
    ).to.deep.equal({ '/old → /new': 1 });
  });

  it('what a rule says of a deeper section is not said twice', () => {
    const moves = derive([
      ['/old/a/x', '/new/a/x'],
      ['/old/a/y', '/new/a/y'],
      ['/old/b/z', '/new/b/z'],
    ]);
    expect(shown(moves)).to.deep.equal({ '/old → /new': 3 });
  });

  it('a part that went elsewhere has a rule of its own', () => {
    const moves = derive([
      ['/old/a/x', '/new/a/x'],
      ['/old/b/y', '/new/b/y'],
      ['/old/c/z', '/other/z'],
      ['/old/c/w', '/other/w'],
    ]);
    expect(shown(moves)).to.deep.equal({ '/old → /new': 2, '/old/c → /other': 2 });
  });

  it('a prefix that moved to eleven places is not nearly sure of each', () => {
    const moved = Array.from({ length: 110 }, (_, i): [string, string] => [`/page-${i}`, `/place-${i % 11}/page-${i}`]);
    const moves = derive(
      moved,
      moved.map(([, to]) => to),
    );
    expect(moves).to.have.length(11);
    for (const { oldPrefix, contradictions, confidence } of moves) {
      expect([oldPrefix, contradictions]).to.deep.equal(['', 100]);
      expect(confidence).to.be.below(0.1);
    }
    // Where a page exists under only one of the places, that place is right.
    expect(applySectionRedirects('/new', moves, (path) => path === '/place-3/new')[0]?.confidence).to.be.above(0.9);
  });

  it('clicks alone need two paths, stay below .9, and neither take from nor add to what redirects show', () => {
    const clicked = (name: string, section: string) => ({
      from: ['old', name],
      to: [section, name],
      weight: 1,
      byClicks: true,
    });
    const [firstClick, two] = ['x', 'y'].map((name) => clicked(name, 'new'));
    if (!firstClick || !two) throw new Error('two');
    expect(deriveSectionMoves([firstClick], new Set())).to.deep.equal([]);
    expect(deriveSectionMoves([firstClick, two], new Set())).to.deep.equal([
      { oldPrefix: '/old', newPrefix: '/new', support: 2, contradictions: 0, confidence: 0.86, byClicks: true },
    ]);
    const many = Array.from({ length: 1_000 }, (_, i) => clicked(`n${i}`, 'new'));
    expect(deriveSectionMoves(many, new Set())[0]?.confidence).to.equal(0.89);
    const redirect = { from: ['old', 'z'], to: ['true', 'z'], weight: 1 };
    const alone = deriveSectionMoves([redirect], new Set(['/true/n1']));
    expect(
      deriveSectionMoves([redirect, ...many], new Set(['/true/n1'])).filter(({ byClicks }) => !byClicks),
    ).to.deep.equal(alone);
  });

  it('a dated blog: numbers of the old prefix stand for any, where the new one has none', () => {
    const moves = derive([
      ['/2016/05/x', '/news/x'],
      ['/2017/11/y', '/news/y'],
    ]);
    expect(shown(moves)).to.deep.equal({ '/#/# → /news': 2 });
    expect(applySectionRedirects('/2020/01/z/', moves)).to.deep.equal([{ path: '/news/z', confidence: 0.86 }]);
    expect(applySectionRedirects('/year/month/z', moves)).to.deep.equal([]);
  });

  it('a moved path that went elsewhere contradicts only if the rule would have found a live page', () => {
    const moved: [string, string][] = [
      ['/old/x', '/new/x'],
      ['/old/y', '/attic/y-2009'],
      ['/old/z', '/attic/z-2009'],
    ];
    const [calm] = derive(moved, ['/new/x', '/attic/y-2009', '/attic/z-2009']);
    expect(calm).to.include({ support: 1, contradictions: 0, confidence: 0.83 });
    const [contradicted] = derive(moved, ['/new/x', '/new/y', '/new/z']);
    expect(contradicted).to.include({ support: 1, contradictions: 2, confidence: 0.63 });
  });

  it('many moves are worked through in time and memory that are bounded', () => {
    const word = (i: number, n: number): string => `w${(i * 7_919) % n}`;
    const moved = Array.from({ length: 10_000 }, (_, i): [string, string] => {
      const middle = Array.from({ length: 14 }, (_, k) => word(i + k, 3 + k)).join('/');
      return [`/a${word(i, 5)}/${middle}/x`, `/b${word(i, 11)}/${middle}/x`];
    });
    const moves = derive(moved);
    expect(moves.length).to.be.within(1, 1_000);
  });
});

describe('where section moves send a path', () => {
  const move = (oldPrefix: string, newPrefix: string, confidence: number) => ({ oldPrefix, newPrefix, confidence });

  it('below the new prefix, with the rest of the path as it was', () => {
    expect(applySectionRedirects('/Old/a/b.html?x=1#y', [move('/old', '/new/home', 0.9)])).to.deep.equal([
      { path: '/new/home/a/b', confidence: 0.9 },
    ]);
    expect(applySectionRedirects('https://shop.example/a', [move('', '/blog', 0.9)])).to.deep.equal([
      { path: '/blog/a', confidence: 0.9 },
    ]);
  });

  it('the section itself and paths that only begin alike are not sent', () => {
    for (const path of ['/old', '/old/', '/older/x', '/a/old/x', '/']) {
      expect(applySectionRedirects(path, [move('/old', '/new', 0.9)]), path).to.deep.equal([]);
    }
  });

  it('by the longest old prefix first; shorter ones count for what it leaves open', () => {
    const moves = [move('', '/all', 0.95), move('/a', '/c', 0.9), move('/a/b', '/d', 0.6), move('/a/b', '/e', 0.3)];
    const destinations = applySectionRedirects('/a/b/x', moves);
    expect(destinations.map(({ path }) => path)).to.deep.equal(['/d/x', '/c/b/x', '/e/x', '/all/a/b/x']);
    expect(destinations.map(({ confidence }) => Number(confidence.toFixed(4)))).to.deep.equal([0.6, 0.36, 0.3, 0.038]);
  });

  it('of several places of one section, those where a page lives share out what all of them are sure of', () => {
    const moves = [move('', '/a', 0.5), move('', '/b', 0.2), move('', '/c', 0.2)];
    const sent = (...living: string[]) =>
      applySectionRedirects('/x', moves, (path) => living.includes(path)).map(({ path, confidence }) => [
        path,
        Number(confidence.toFixed(3)),
      ]);
    expect(sent('/b/x')).to.deep.equal([['/b/x', 0.9]]);
    expect(sent('/a/x', '/c/x')).to.deep.equal([
      ['/a/x', 0.643],
      ['/c/x', 0.257],
    ]);
    expect(sent()).to.deep.equal([]);
  });

  it('never to where they are', () => {
    expect(applySectionRedirects('/a/x', [move('/a', '/a', 0.9)])).to.deep.equal([]);
  });
});

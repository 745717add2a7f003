import { expect } from 'chai';
import { deriveRewritings, type RewrittenPath, type Rewriting } from '#src/search/ranking/evidence/rewritten-pages.js';
import { plainSegments } from '#src/text/paths/plain-path.js';
import { readTokenPath, type TokenPath } from '#src/search/ranking/learned-redirects/rewrite-by-example.js';

const read = (path: string): TokenPath => readTokenPath(plainSegments(path));

function derive(dead: string, redirects: readonly string[], live: readonly string[]): Rewriting<RewrittenPath>[] {
  const examples = redirects.map((line) => {
    const [from = '', to = ''] = line.split(' ');
    return { from: read(from), to: read(to) };
  });
  return deriveRewritings(read(dead), examples, () => new Set(live.map((path) => read(path).key)));
}

const RELEASES = ['/docs/rel/101 /v/r-1.0.1', '/docs/rel/102 /v/r-1.0.2', '/docs/rel/2.0.4 /v/r-2.0.4'];

describe('rewritings that redirects show', () => {
  it('lead to live pages only', () => {
    expect(derive('/docs/rel/105', RELEASES, ['/v/r-1.0.5'])).to.have.length(1);
    expect(derive('/docs/rel/105', RELEASES, ['/v/r-1.0.4'])).to.deep.equal([]);
  });

  it('are surer with each redirect that shows them', () => {
    const confidences = [1, 2, 3].map(
      (count) => derive('/docs/rel/105', RELEASES.slice(0, count), ['/v/r-1.0.5'])[0]?.confidence ?? 0,
    );
    expect(confidences).to.deep.equal([0.83, 0.86, 0.88]);
  });

  it('count a redirect once, however its old path is written', () => {
    const same = ['/docs/rel/101 /v/r-1.0.1', '/docs/rel/1.0.1.html /v/r-1.0.1', '/Docs/rel/1.0.1/ /v/r-1.0.1'];
    expect(derive('/docs/rel/105', same, ['/v/r-1.0.5'])[0]?.support).to.equal(1);
  });

  it('are contradicted by a redirect that leads to another live page', () => {
    const other = [...RELEASES, '/docs/rel/107 /notes/1.0.7'];
    const rewritings = derive('/docs/rel/105', other, ['/v/r-1.0.5', '/notes/1.0.5']);
    expect(rewritings.map(({ key, support }) => [key, support])).to.deep.equal([['vr105', 3]]);
    expect(rewritings[0]?.contradictions).to.equal(1);
    expect(rewritings[0]?.confidence).to.be.below(0.8);
  });

  it('are contradicted by a redirect of the section that went elsewhere although such a page is live', () => {
    const other = [...RELEASES, '/docs/rel/107 /archive'];
    expect(derive('/docs/rel/105', other, ['/v/r-1.0.5'])[0]?.contradictions).to.equal(0);
    expect(derive('/docs/rel/105', other, ['/v/r-1.0.5', '/v/r-1.0.7'])[0]?.contradictions).to.equal(1);
  });

  it('are none where contradictions outweigh them', () => {
    const other = ['/docs/rel/101 /v/r-1.0.1', ...[2, 3, 4, 6, 7].map((n) => `/docs/rel/10${n} /archive`)];
    const live = [2, 3, 4, 5, 6, 7].map((n) => `/v/r-1.0.${n}`);
    expect(derive('/docs/rel/105', other, live)).to.deep.equal([]);
  });

  it('name the redirect whose old path has the longest common start', () => {
    const [rewriting] = derive(
      '/docs/rel/105',
      ['/docs/old/rel/101 /v/r-1.0.1', ...RELEASES],
      ['/v/r-1.0.5', '/v/r-old105'],
    );
    expect(rewriting?.example.from.key).to.equal('docsrel101');
  });

  it('ask for live pages only where redirects say something', () => {
    const mute = [{ from: read('/docs/rel/101'), to: read('/archive') }];
    const never = (): never => expect.fail('asked for live pages');
    expect(deriveRewritings(read('/docs/rel/105'), mute, never)).to.deep.equal([]);
  });

  it('need at most 128 comparisons of 32 redirects with as many live results', () => {
    let compared = 0;
    const counted = (path: string): TokenPath => {
      const { tokens, ...rest } = read(path);
      return {
        ...rest,
        get tokens() {
          compared++;
          return tokens;
        },
      };
    };
    const letters = [...'abcdefghijklmnopqrstuvwxyzäöüßéè'];
    const redirects = letters.map((letter) => ({ from: counted(`/s/${letter}`), to: read(`/t-${letter}/${letter}`) }));
    const live = letters.flatMap((to) =>
      ['/s/dead', ...letters.map((letter) => `/s/${letter}`)].map((oldPath) => `/t-${to}${oldPath}`),
    );
    deriveRewritings(read('/s/dead'), redirects, () => new Set(live.map((path) => read(path).key)));
    // Each comparison reads the old path twice: its length, and its tokens.
    expect(compared).to.be.within(2 * 32, 2 * 128);
  });
});

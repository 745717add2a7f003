import { expect } from 'chai';
import type { FoundSuggestion } from '#src/search/answer.js';
import { mapOldUrl, type Find, type MappedUrl } from '#src/search/map-old-url.js';
import type { Explanation } from '#src/search/ranking/scores/explanation.js';
import { DEFAULT_THRESHOLDS } from '#src/search/ranking/scores/score.js';

const page = (href: string, score: number, explanation: Partial<Explanation> = {}): FoundSuggestion => ({
  pageId: href,
  url: href,
  href,
  title: href,
  score,
  metadata: undefined,
  explanation: { evidence: { words: 1 }, ...explanation },
});

describe('a sheet of old urls', () => {
  const map = async (
    byPath: FoundSuggestion[],
    byContent: FoundSuggestion[],
    content = 'Grind finer.',
  ): Promise<MappedUrl> => {
    const find: Find = async (kind) => Promise.resolve(kind === 'suggest' ? byPath : byContent);
    return mapOldUrl(find, DEFAULT_THRESHOLDS, { old: '/old', path: '/old', title: '', content, hits: undefined });
  };

  it('gives a path the score that suggest gives it, where the path is all that is known', async () => {
    const mapped = await map([page('/new', 0.6213)], [page('/new', 0.7)], '');
    expect(mapped).to.include({ new: '/new', score: 0.6213, why: 'a path like it' });
  });

  it('says where a score stands on title and content too, and how sure the path alone is', async () => {
    const mapped = await map([page('/new', 0.6)], [page('/new', 0.5)]);
    expect(mapped).to.include({
      new: '/new',
      score: 0.8,
      why: 'a path like it; title and content agree: by the path alone 0.6',
    });
    expect(await map([page('/far', 0.1)], [page('/new', 0.8)])).to.include({
      new: '/new',
      score: 0.8,
      why: 'title and content alone',
    });
  });

  it('gives a page that is second by its path no less for that than one that the path does not name', async () => {
    const first = page('/far', 0.4);
    for (const second of [[], [page('/new', 0.1)]])
      expect(await map([first, ...second], [page('/new', 0.8)])).to.include({
        new: '/new',
        score: 0.8,
        second: '/far',
      });
  });

  it('says where a score is the most that it may be', async () => {
    const held = page('/news/2023', 0.69, { bounded: 'its number is another' });
    const gone = page('/new', 0.5, { bounded: 'the path, or its folder, is gone' });
    expect(await map([gone], [page('/new', 0.4)])).to.include({ score: 0.5, action: 'review' });
    expect(await map([held], [], '')).to.include({ score: 0.69, why: 'a path like it, but its number is another' });
  });

  it('says what visitors chose, and lets content raise it only as far as content alone is sure', async () => {
    const chosen = page('/new', 0.89, { chosen: { clicks: 17, of: 20 } });
    expect(await map([chosen], [])).to.include({ score: 0.89, action: 'review', why: '17 of 20 visitors chose it' });
    expect(await map([chosen], [page('/new', 0.2)])).to.include({
      score: 0.89,
      action: 'review',
      why: '17 of 20 visitors chose it; title and content agree',
    });
    expect(await map([chosen], [page('/new', 0.95)])).to.include({
      score: 0.95,
      action: 'redirect',
      why: '17 of 20 visitors chose it; title and content agree: by the path alone 0.89',
    });
    expect(await map([page('/new', 0.89, { chosen: { below: '/shop/' } })], [])).to.include({
      why: 'visitors of /shop/ chose so',
    });
  });
});

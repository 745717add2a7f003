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
  isWaiting: false,
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

  it('says what else makes a page less sure', async () => {
    const doubted = page('/new', 0.6, { doubts: ['it is another page of the same folder'] });
    expect(await map([doubted], [], '')).to.include({
      action: 'review',
      why: 'a path like it, but it is another page of the same folder',
    });
  });

  it('calls a path gone for the reason that suggest gives, unless title and content speak for a page', async () => {
    const why = 'pages of its folder are near, none is it';
    const sibling = page('/help/returns', 0.3, { gone: why });
    const isGone = { new: '', second: '/help/returns', action: 'gone', why };
    expect(await map([sibling], [], '')).to.include({ ...isGone, score: 0.3 });
    expect(await map([sibling, page('/far', 0.1)], [page('/help/returns', 0.1)])).to.include(isGone);
    expect(await map([sibling], [page('/help/returns', 0.2)])).to.include({ new: '/help/returns', action: 'review' });
    expect(await map([sibling], [page('/new', 0.35)])).to.include({ new: '/new', action: 'review' });
    const deleted = page('/help', 0.5, { bounded: 'it stood beside it', gone: 'the page was here and was deleted' });
    expect(await map([deleted], [])).to.include({
      score: 0.5,
      action: 'gone',
      why: 'the page was here and was deleted',
    });
  });

  it('calls a path gone where no page is near, but not a folder whose pages stand below it', async () => {
    expect(await map([page('/far', 0.09)], [page('/far', 0.01)])).to.include({
      action: 'gone',
      why: 'no page is near',
    });
    expect(await map([], [page('/far', 0.09)])).to.include({ action: 'gone', why: 'no page is near' });
    expect(await map([page('/far', 0.09), page('/b', 0.08), page('/c', 0.08)], [])).to.include({ action: 'review' });
    const below = page('/help/returns', 0.02, { doubts: ['it stands below the path'] });
    expect(await map([below], [])).to.include({ new: '/help/returns', action: 'review' });
  });

  it('says what visitors chose, and lets content raise it only as far as content alone is sure', async () => {
    const chosen = page('/new', 0.89, { chosen: { clicks: 17, of: 20 } });
    expect(await map([chosen], [])).to.include({ score: 0.89, action: 'review', why: '17 of 20 clicks chose it' });
    expect(await map([chosen], [page('/new', 0.2)])).to.include({
      score: 0.89,
      action: 'review',
      why: '17 of 20 clicks chose it; title and content agree',
    });
    expect(await map([chosen], [page('/new', 0.95)])).to.include({
      score: 0.95,
      action: 'redirect',
      why: '17 of 20 clicks chose it; title and content agree: by the path alone 0.89',
    });
    expect(await map([page('/new', 0.89, { chosen: { below: '/shop/' } })], [])).to.include({
      why: 'visitors of /shop/ chose so',
    });
  });
});

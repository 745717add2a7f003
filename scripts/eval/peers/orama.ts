import { create, insertMultiple, search } from '@orama/orama';
import { plainPath, plainWords } from '../path-words.js';
import type { SitePage } from '../site-data.js';
import { searchText, TOP, type Peer, type Ranked } from './peer.js';
import { meanVector, type SiteVectors } from './vectors.js';

/**
 * Orama over the words of the path, title and content with stemming: full text, and hybrid with the service's vectors.
 * A page has one vector in Orama: the mean of its chunks' vectors. Boosts and weights are the best of those tried
 * on the sites.
 */
export async function orama(pages: readonly SitePage[], vectors: SiteVectors): Promise<Peer[]> {
  const index = create({
    schema: { path: 'string', title: 'string', content: 'string', embedding: `vector[${vectors.dimensions}]` as const },
    components: { tokenizer: { language: 'english', stemming: true } },
  });
  const documents = pages.map(({ path, title, content }, i) => ({
    id: String(i),
    path: plainWords(plainPath(path)).join(' '),
    title,
    content,
    embedding: [...meanVector(vectors.passages.get(path) ?? [], vectors.dimensions)],
  }));
  await insertMultiple(index, documents);
  const fullText = {
    properties: ['path', 'title', 'content'] as ('path' | 'title' | 'content')[],
    boost: { path: 2, title: 2 },
    // Any word may match; prefixes do, too. A tolerance for mistakes lost more redirects and questions than it found
    // typos.
    threshold: 1,
    limit: TOP,
  };
  const ranked = (hits: readonly { id: string; score: number }[]): Ranked[] =>
    hits.map(({ id, score }) => ({ path: pages[Number(id)]?.path ?? '', score }));
  return [
    {
      name: 'orama_full_text',
      takesQuestions: true,
      rank: async (input) => {
        const term = searchText(input);
        return term === '' ? [] : ranked((await search(index, { ...fullText, mode: 'fulltext', term })).hits);
      },
    },
    {
      name: 'orama_hybrid',
      takesQuestions: true,
      rank: async (input) => {
        const term = searchText(input);
        if (term === '') return [];
        const vector = { value: [...(await vectors.ofInput(input))], property: 'embedding' };
        const hybrid = { similarity: 0.2, hybridWeights: { text: 0.8, vector: 0.2 }, boost: { path: 4, title: 4 } };
        return ranked((await search(index, { ...fullText, ...hybrid, mode: 'hybrid', term, vector })).hits);
      },
    },
  ];
}

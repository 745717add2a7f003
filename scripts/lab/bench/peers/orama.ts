import { create, insertMultiple, search } from '@orama/orama';
import { searchText } from '../../../eval/peers/peer.js';
import { plainPath, plainWords } from '../../../eval/path-words.js';
import { ANSWERS, pageBatches, readPageVectors, type BuildEngine } from './engine.js';

const tokenizer = { language: 'english', stemming: true } as const;
const properties: ('path' | 'title' | 'content')[] = ['path', 'title', 'content'];
const fullText = { properties, threshold: 1, limit: ANSWERS };

/** Orama's full text as in the comparison of quality (scripts/eval/peers/orama.ts). */
export const buildOramaFullText: BuildEngine = async ({ files }) => {
  const index = create({ schema: { path: 'string', title: 'string', content: 'string' }, components: { tokenizer } });
  for await (const { from, pages } of pageBatches(files, 1_000)) {
    await insertMultiple(
      index,
      pages.map(({ path, title, content }, i) => ({
        id: String(from + i),
        path: plainWords(plainPath(path)).join(' '),
        title,
        content,
      })),
    );
  }
  return {
    search: async (input) => {
      const term = searchText(input);
      if (term === '') return [];
      return (await search(index, { ...fullText, mode: 'fulltext', term, boost: { path: 2, title: 2 } })).hits.map(
        ({ id }) => Number(id),
      );
    },
  };
};

/** Orama's hybrid search; it compares a vector with all others. */
export const buildOramaHybrid: BuildEngine = async ({ files, dimensions, embed }) => {
  const index = create({
    schema: { path: 'string', title: 'string', content: 'string', embedding: `vector[${dimensions}]` as const },
    components: { tokenizer },
  });
  const vectors = await readPageVectors(files);
  for await (const { from, pages } of pageBatches(files, 1_000)) {
    const documents = pages.map(({ path, title, content }, i) => ({
      id: String(from + i),
      path: plainWords(plainPath(path)).join(' '),
      title,
      content,
      embedding: [...vectors.subarray((from + i) * dimensions, (from + i + 1) * dimensions)],
    }));
    await insertMultiple(index, documents);
  }
  return {
    search: async (input) => {
      const term = searchText(input);
      if (term === '') return [];
      const vector = { value: [...(await embed(term))], property: 'embedding' };
      const hybrid = { similarity: 0.2, hybridWeights: { text: 0.8, vector: 0.2 }, boost: { path: 4, title: 4 } };
      return (await search(index, { ...fullText, ...hybrid, mode: 'hybrid', term, vector })).hits.map(({ id }) =>
        Number(id),
      );
    },
  };
};

import MiniSearch from 'minisearch';
import { searchText } from '../../eval/peers/peer.js';
import { plainPath, plainWords } from '../../eval/path-words.js';
import { ANSWERS, pageBatches, type BuildEngine } from './engine.js';

/** MiniSearch with the fields, boosts and tolerance of the comparison of quality (scripts/eval/peers/minisearch.ts). */
export const buildMiniSearch: BuildEngine = async ({ files }) => {
  const index = new MiniSearch<{ id: number; path: string; title: string; content: string }>({ fields: ['path', 'title', 'content'] });
  for await (const { from, pages } of pageBatches(files, 1_000)) {
    index.addAll(pages.map(({ path, title, content }, i) => ({ id: from + i, path: plainWords(plainPath(path)).join(' '), title, content })));
  }
  return {
    search: (input) =>
      index
        .search(searchText(input), {
          combineWith: 'OR',
          fuzzy: (term) => (term.length > 3 ? 0.2 : false),
          prefix: (term) => term.length > 2,
          boost: { path: 8, title: 4 },
        })
        .slice(0, ANSWERS)
        .map(({ id }) => id as number),
  };
};

import MiniSearch from 'minisearch';
import { plainPath, plainWords } from '../path-words.js';
import type { SitePage } from '../site-data.js';
import { searchText, TOP, type Peer } from './peer.js';

/**
 * MiniSearch over the words of the path, title and content: any word may match (OR), prefixes and one mistake in five
 * characters are allowed, except in short words, where they match nearly everything. The boosts are the best of those
 * tried on the sites.
 */
export function miniSearch(pages: readonly SitePage[]): Peer {
  const index = new MiniSearch<{ id: number; path: string; title: string; content: string }>({ fields: ['path', 'title', 'content'] });
  index.addAll(pages.map(({ path, title, content }, id) => ({ id, path: plainWords(plainPath(path)).join(' '), title, content })));
  return {
    name: 'minisearch',
    takesQuestions: true,
    rank: (input) =>
      index
        .search(searchText(input), {
          combineWith: 'OR',
          fuzzy: (term) => (term.length > 3 ? 0.2 : false),
          prefix: (term) => term.length > 2,
          boost: { path: 8, title: 4 },
        })
        .slice(0, TOP)
        .map(({ id }) => pages[id as number]?.path ?? ''),
  };
}

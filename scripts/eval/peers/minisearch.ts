import MiniSearch from 'minisearch';
import { plainPath, plainWords } from '../path-words.js';
import type { SitePage } from '../site-data.js';
import { searchText, TOP, type Peer, type PeerInput } from './peer.js';

/**
 * MiniSearch over the words of the path, title and content: any word may match (OR), prefixes and one mistake in five
 * characters are allowed, except in short words, where they match nearly everything. The boosts are the best of those
 * tried on the sites.
 */
export class MiniSearchIndex {
  readonly #index = new MiniSearch<{ id: number; path: string; title: string; content: string }>({
    fields: ['path', 'title', 'content'],
  });

  /** Adds pages under the numbers from `from` on. */
  add(pages: readonly Pick<SitePage, 'path' | 'title' | 'content'>[], from: number): void {
    this.#index.addAll(
      pages.map(({ path, title, content }, i) => ({
        id: from + i,
        path: plainWords(plainPath(path)).join(' '),
        title,
        content,
      })),
    );
  }

  /** The numbers and scores of the best `limit` pages. */
  search(input: PeerInput, limit: number): { id: number; score: number }[] {
    const matches = this.#index.search(searchText(input), {
      combineWith: 'OR',
      fuzzy: (term) => (term.length > 3 ? 0.2 : false),
      prefix: (term) => term.length > 2,
      boost: { path: 8, title: 4 },
    });
    return matches.slice(0, limit).map(({ id, score }) => ({ id: id as number, score }));
  }
}

export function miniSearch(pages: readonly SitePage[]): Peer {
  const index = new MiniSearchIndex();
  index.add(pages, 0);
  return {
    name: 'minisearch',
    takesQuestions: true,
    rank: (input) => index.search(input, TOP).map(({ id, score }) => ({ path: pages[id]?.path ?? '', score })),
  };
}

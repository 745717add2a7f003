import { plainPath, plainWords } from '../path-words.js';

/** What a peer is asked: a dead path, or a question. */
export interface PeerInput {
  text: string;
  isPath: boolean;
}

/** Another method that ranks the pages of a site, run on the same cases. */
export interface Peer {
  name: string;
  /** Methods that compare paths only have nothing to say to a question. */
  takesQuestions: boolean;
  /** Url paths of pages, best first, {@link TOP} at most; pages without anything in common are left out. */
  rank(input: PeerInput): string[] | Promise<string[]>;
}

export const TOP = 20;

/** The words that a full-text search is asked: those of a path, or the question as it is. */
export function searchText({ text, isPath }: PeerInput): string {
  return isPath ? plainWords(plainPath(text)).join(' ') : text;
}

/** The best of `pages` by a value above 0; equal ones in the order of the site. */
export function best<Page extends { path: string }>(
  pages: readonly Page[],
  value: (page: Page, index: number) => number,
): string[] {
  return pages
    .map((page, index) => ({ path: page.path, value: value(page, index) }))
    .filter((page) => page.value > 0)
    .sort((a, b) => b.value - a.value)
    .slice(0, TOP)
    .map(({ path }) => path);
}

import { plainPath, plainWords } from '../path-words.js';

/** The input of a peer: a dead path, or a question. */
export interface PeerInput {
  text: string;
  isPath: boolean;
}

/** A page that a method ranks. Scores are compared within a method only; the larger, the surer. */
export interface Ranked {
  path: string;
  score: number;
}

/** Another method that ranks the pages of a site, run on the same cases. */
export interface Peer {
  name: string;
  /** False for methods that only compare paths: they cannot answer a question. */
  takesQuestions: boolean;
  /** Pages, best first, {@link TOP} at most; pages without anything in common are left out. */
  rank(input: PeerInput): Ranked[] | Promise<Ranked[]>;
}

export const TOP = 20;

/** The text for a full-text search: the words of a path, or the question as it is. */
export function searchText({ text, isPath }: PeerInput): string {
  return isPath ? plainWords(plainPath(text)).join(' ') : text;
}

/** The best of `pages` by a score above 0; equal ones in the order of the site. */
export function best<Page extends { path: string }>(
  pages: readonly Page[],
  score: (page: Page, index: number) => number,
): Ranked[] {
  return pages
    .map((page, index) => ({ path: page.path, score: score(page, index) }))
    .filter((page) => page.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, TOP);
}

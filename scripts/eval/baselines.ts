import { splitWords } from '#src/search/split-words.js';
import type { Case, SiteData } from './site-data.js';

/** Simple methods that anybody has in an afternoon, to stand beside: each ranks all pages of a site for an input. */
export interface Baseline {
  name: string;
  rank(input: string): { url: string }[];
}

const TOP = 20;

/** Words of a path as they stand, without understanding it. */
function plainWords(path: string): string[] {
  return path.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/** Jaccard overlap of the words of the two paths. */
export function pathOverlap(site: SiteData): Baseline {
  const pages = site.pages.map((page) => ({ url: page.path, words: new Set(plainWords(page.path)) }));
  return {
    name: 'path_overlap',
    rank(input) {
      const words = new Set(plainWords(input));
      return top(pages, (page) => {
        let common = 0;
        for (const word of words) if (page.words.has(word)) common++;
        return common / (words.size + page.words.size - common || 1);
      });
    },
  };
}

/** Okapi BM25 (Robertson and Zaragoza 2009) over title and content, k1 = 1.2, b = 0.75. */
export function bm25(site: SiteData): Baseline {
  const K1 = 1.2;
  const B = 0.75;
  const postings = new Map<string, { page: number; count: number }[]>();
  const lengths = site.pages.map((page, index) => {
    const words = splitWords(`${page.title} ${page.content}`);
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts) {
      const list = postings.get(word);
      if (list) list.push({ page: index, count });
      else postings.set(word, [{ page: index, count }]);
    }
    return words.length;
  });
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / (lengths.length || 1);
  return {
    name: 'bm25_title_content',
    rank(input) {
      const scores = new Float64Array(site.pages.length);
      for (const word of new Set(splitWords(input))) {
        const list = postings.get(word) ?? [];
        const idf = Math.log(1 + (site.pages.length - list.length + 0.5) / (list.length + 0.5));
        for (const { page, count } of list) {
          const length = 1 - B + (B * (lengths[page] ?? 0)) / averageLength;
          scores[page] = (scores[page] ?? 0) + (idf * count * (K1 + 1)) / (count + K1 * length);
        }
      }
      return top(site.pages.map((page, index) => ({ url: page.path, index })), ({ index }) => scores[index] ?? 0);
    },
  };
}

function top<T extends { url: string }>(pages: readonly T[], score: (page: T) => number): { url: string }[] {
  return pages
    .map((page) => ({ url: page.url, value: score(page) }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value)
    .slice(0, TOP);
}

export function recallOf(baseline: Baseline, cases: readonly Case[]): { recall1: number; recall3: number } {
  let first = 0;
  let third = 0;
  for (const one of cases) {
    const rank = baseline.rank(one.input).findIndex(({ url }) => one.right.includes(url)) + 1;
    if (rank === 1) first++;
    if (rank >= 1 && rank <= 3) third++;
  }
  return { recall1: first / (cases.length || 1), recall3: third / (cases.length || 1) };
}

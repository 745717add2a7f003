import { termOf } from './words/terms.js';

/** A page that a dead path's slug is found on: how much it counts, and its terms, as far as they will be asked for. */
export interface Neighbour {
  weight: number;
  terms: ReadonlySet<number>;
}

/**
 * Reads neighbours as rows of the database have them: the terms of a long page come in several. Of its terms only those
 * that somebody will ask for are kept.
 */
export function neighboursFrom(rows: readonly { page_id: string; cover: number; terms: string }[], asked: ReadonlySet<number>): Neighbour[] {
  const pages = new Map<string, { weight: number; terms: Set<number> }>();
  for (const { page_id, cover, terms } of rows) {
    const page = pages.get(page_id) ?? { weight: cover, terms: new Set<number>() };
    readTerms(terms, asked, page.terms);
    pages.set(page_id, page);
  }
  return [...pages.values()];
}

const [COMMA, COLON, END] = [',', ':', '}'].map((sign) => sign.charCodeAt(0)) as [number, number, number];

/** The numbers of `{12:0.5,…}/1000000000`, character by character: splitting the text took four times as long. */
function readTerms(text: string, asked: ReadonlySet<number>, into: Set<number>): void {
  let number = 0;
  let inWeight = false;
  for (let i = 1; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (sign === COLON) {
      if (asked.has(number)) into.add(number);
      inWeight = true;
    } else if (sign === COMMA) {
      number = 0;
      inWeight = false;
    } else if (sign === END) return;
    else if (!inWeight) number = number * 10 + sign - 48;
  }
}

/** Pages whose words are asked; more of them blur the answer (5 to 30 were tried, docs/relevance.md). */
export const NEIGHBOURS = 15;
/** A page that covers less of the slug than this says nothing about it. */
export const LEAST_COVER = 0.04;

/**
 * How much a site's own text ties the words of a live slug to a dead one that shares none: where pages about `aws`
 * speak of `cloud`, `/topics/aws` may have become `/topics/cloud`. For each word of the live slug: 1 if the dead slug
 * has it, else its lift, the share of the neighbours that hold it beyond its share of all pages, scaled to 0..1;
 * averaged with the words' weights. A kind of pseudo-relevance feedback (Rocchio 1971) on words.
 */
export function associationWith(
  deadSlug: readonly string[],
  neighbours: readonly Neighbour[],
  shareOfPages: (word: string) => number,
  weigh: (word: string) => number,
): (liveSlug: readonly string[]) => number {
  const dead = new Set(deadSlug.map(termOf));
  const total = neighbours.reduce((sum, { weight }) => sum + weight, 0);
  const lifts = new Map<number, number>();
  const lift = (word: string, term: number): number => {
    const known = lifts.get(term);
    if (known !== undefined) return known;
    const share = neighbours.reduce((sum, { weight, terms }) => sum + (terms.has(term) ? weight : 0), 0) / total;
    const usual = Math.min(1, shareOfPages(word));
    const value = usual >= 1 ? 0 : Math.max(0, (share - usual) / (1 - usual));
    lifts.set(term, value);
    return value;
  };
  return (liveSlug) => {
    if (total === 0) return 0;
    let weights = 0;
    let tied = 0;
    for (const word of liveSlug) {
      const term = termOf(word);
      const weight = weigh(word);
      weights += weight;
      tied += weight * (dead.has(term) ? 1 : lift(word, term));
    }
    return weights > 0 ? tied / weights : 0;
  };
}

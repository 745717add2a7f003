import type { PathWord } from '../../text/paths/path-word.js';
import { termOf } from '../../text/words/terms.js';

/** What the pages that a dead path's slug is found on hold, each as much as it counts. */
export interface Neighbours {
  /** Of all of them. */
  weight: number;
  /** Of those that hold a term; only the terms that somebody will ask for are in it. */
  holding: ReadonlyMap<number, number>;
}

/**
 * Reads neighbours as rows of the database have them: of a page's first 16,000 terms, which is three times what real
 * ones have.
 */
export function neighboursFrom(
  rows: readonly { page_id: string; cover: number; terms: string }[],
  asked: Iterable<number>,
): Neighbours {
  const holding = new Map<number, number>();
  for (const term of asked) holding.set(term, 0);
  const pages = new Map<string, number>();
  for (const { page_id, cover, terms } of rows) {
    pages.set(page_id, cover);
    addTerms(terms, cover, holding);
  }
  let weight = 0;
  for (const cover of pages.values()) weight += cover;
  return { weight, holding };
}

const [COMMA, COLON, END] = [',', ':', '}'].map((sign) => sign.charCodeAt(0));

/**
 * Adds the terms of a sparse vector as pgvector writes it, `{12:0.5,…}/1000000000`. Sign by sign: a pattern took three
 * times as long, 0.2 ms of a suggest's 4.8 ms of CPU.
 */
function addTerms(text: string, cover: number, holding: Map<number, number>): void {
  let term = 0;
  let inTerm = true;
  for (let i = 1; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (sign === COLON) {
      const held = holding.get(term);
      if (held !== undefined) holding.set(term, held + cover);
      inTerm = false;
    } else if (sign === COMMA) {
      term = 0;
      inTerm = true;
    } else if (sign === END) return;
    else if (inTerm) term = term * 10 + sign - 48;
  }
}

/** Pages whose words are asked; more of them blur the answer (5 to 30 were tried, docs/relevance.md). */
export const NEIGHBOURS = 15;
/** A page that covers less of the slug than this says nothing about it. */
export const MIN_COVER = 0.04;

/**
 * How much a site's own text ties the words of a live slug to a dead one that shares none: where pages about `aws`
 * speak of `cloud`, `/topics/aws` may have become `/topics/cloud`. For each word of the live slug: 1 if the dead slug
 * has it, else its lift, the share of the neighbours that hold it beyond its share of all pages, scaled to 0..1;
 * averaged with the words' weights. A kind of pseudo-relevance feedback (Rocchio 1971) on words.
 */
export function associationWith(
  deadSlug: readonly string[],
  neighbours: Neighbours,
  shareOfPages: (word: PathWord) => number,
  weigh: (word: PathWord) => number,
): (liveSlug: readonly PathWord[]) => number {
  const dead = new Set(deadSlug.map(termOf));
  const lifts = new Map<number, number>();
  const lift = (word: PathWord): number => {
    const { term } = word;
    const known = lifts.get(term);
    if (known !== undefined) return known;
    const share = (neighbours.holding.get(term) ?? 0) / neighbours.weight;
    const usual = Math.min(1, shareOfPages(word));
    const value = usual >= 1 ? 0 : Math.max(0, (share - usual) / (1 - usual));
    lifts.set(term, value);
    return value;
  };
  return (liveSlug) => {
    if (neighbours.weight === 0) return 0;
    let weights = 0;
    let tied = 0;
    for (const word of liveSlug) {
      const weight = weigh(word);
      weights += weight;
      tied += weight * (dead.has(word.term) ? 1 : lift(word));
    }
    return weights > 0 ? tied / weights : 0;
  };
}

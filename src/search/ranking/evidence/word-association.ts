import type { PathWord } from './page-path.js';
import { termOf } from '../../../text/words/terms.js';

/** The pages that cover a dead path's slug best, each weighted by its coverage. */
interface Neighbours {
  /** The total weight. */
  weight: number;
  /** The weight of the pages with a term, for the requested terms. */
  weightWith: ReadonlyMap<number, number>;
}

/**
 * Makes neighbours from database rows. These have a page's first 16,000 terms, three times what real pages have: their
 * places in the vector of terms, 8 hexadecimal digits each, from 0 on.
 */
export function readNeighbours(
  rows: readonly { page_id: string; cover: number; terms: string }[],
  asked: Iterable<number>,
): Neighbours {
  const weightWith = new Map<number, number>();
  for (const term of asked) weightWith.set(term, 0);
  const pages = new Map<string, number>();
  for (const { page_id, cover, terms } of rows) {
    pages.set(page_id, cover);
    addTerms(terms, cover, weightWith);
  }
  let weight = 0;
  for (const cover of pages.values()) weight += cover;
  return { weight, weightWith };
}

/** Adds the weight of a page to the weights of its terms. */
function addTerms(hex: string, cover: number, weightWith: Map<number, number>): void {
  const places = Buffer.from(hex, 'hex');
  for (let at = 0; at < places.length; at += 4) {
    // A vector's text has places from 1 on, which terms are; its bytes have them from 0 on.
    const term = places.readInt32BE(at) + 1;
    const held = weightWith.get(term);
    if (held !== undefined) weightWith.set(term, held + cover);
  }
}

/** More neighbours blur the evidence (5 to 30 were tried). */
export const MAX_NEIGHBOURS = 15;
/** Pages with less coverage of the slug are no evidence. */
export const MIN_COVER = 0.04;

/**
 * How strongly a site's text connects the words of a live slug to those of the dead one: if pages about `aws` mention
 * `cloud`, `/topics/aws` may have become `/topics/cloud`. A word of the live slug counts 1 if the dead slug has it,
 * else its lift: its share of the neighbours above its share of all pages, scaled to 0..1. The result is the weighted
 * mean. A kind of pseudo-relevance feedback (Rocchio 1971) on words.
 */
export function createWordAssociation(
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
    const share = (neighbours.weightWith.get(term) ?? 0) / neighbours.weight;
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

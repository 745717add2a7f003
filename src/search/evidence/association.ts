import type { PathWord } from '../../text/paths/path-word.js';
import { termOf } from '../../text/words/terms.js';

/** The pages that cover a dead path's slug best, each weighted by its coverage. */
interface Neighbours {
  /** The total weight. */
  weight: number;
  /** The weight of the pages with a term, for the terms that were asked for. */
  weightWith: ReadonlyMap<number, number>;
}

/**
 * Makes neighbours from database rows. These have a page's first 16,000 terms, three times what real pages have.
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

const [COMMA, COLON, END] = [',', ':', '}'].map((character) => character.charCodeAt(0));

/**
 * Adds the weight of a page to those of its terms. `text`: pgvector's format of a sparse vector,
 * `{12:0.5,…}/1000000000`. A regular expression took three times as long: 0.2 of a suggest's 4.8 ms of CPU.
 */
function addTerms(text: string, cover: number, weightWith: Map<number, number>): void {
  let term = 0;
  let inTerm = true;
  for (let i = 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === COLON) {
      const held = weightWith.get(term);
      if (held !== undefined) weightWith.set(term, held + cover);
      inTerm = false;
    } else if (code === COMMA) {
      term = 0;
      inTerm = true;
    } else if (code === END) return;
    else if (inTerm) term = term * 10 + code - 48;
  }
}

/** More neighbours blur the evidence (5 to 30 were tried, docs/relevance.md). */
export const MAX_NEIGHBOURS = 15;
/** Pages with less coverage of the slug are no evidence. */
export const MIN_COVER = 0.04;

/**
 * How strongly a site's text connects the words of a live slug to those of the dead one: if pages about `aws` mention
 * `cloud`, `/topics/aws` may have become `/topics/cloud`. A word of the live slug counts 1 if the dead slug has it,
 * else its lift: its share of the neighbours above its share of all pages, scaled to 0..1. The result is the weighted
 * mean. A kind of pseudo-relevance feedback (Rocchio 1971) on words.
 */
export function createAssociation(
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

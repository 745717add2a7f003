import { editDistance } from '../../text/words/edit-distance.js';
import { distinct, numbersOf, type LivePath } from './live-path.js';
import { readPathWord } from '../../text/paths/path-word.js';
import type { DeadPath } from '../../text/paths/dead-path.js';
import { Trigrams } from '../../text/paths/trigrams.js';

/** How much the path of a live page speaks for being what a dead path meant; each 0 to 1, more is better. */
export interface PathEvidence {
  /** Jaccard of all words, weighted. */
  words: number;
  /** The share of the live slug's words that the dead path holds, weighted. */
  liveInDead: number;
  /** Dice of the trigrams of the whole paths, dates and numbers included. */
  pathTrigrams: number;
  /** What of `pathTrigrams` is beyond the likeness of two pages of one section: a live path with a slip or two. */
  nearCopy: number;
  /**
   * Dice of the trigrams of the last segments' letters, separators aside: `carsafety` is `car-safety`; above chance.
   */
  slugTrigrams: number;
  /** 1 - slips / length, of the last segments; above chance. */
  slugEdit: number;
  /** The share of the longer path's segments that both begin with. */
  prefix: number;
  /** 1 for the same number of segments, 1/2 for one more or less, and so on. */
  depth: number;
  /** 1 when the last segments hold the same numbers or none, 0 when theirs are all different. */
  numbers: number;
}

/** How telling a word is: 1 for an unknown one, less for those of many pages, as an inverse document frequency. */
export type WordWeight = (word: string) => number;

/** Edit distance takes the product of the lengths; the start of two slugs tells enough. */
const MAX_EDIT_LENGTH = 32;

/**
 * Two arbitrary slugs are this much alike; what is below tells nothing, and only what is above counts, stretched to
 * 0..1. Without it the chance likeness of `iot` and `innovation` outweighed what the content said: of redirects to
 * checking sites .852 were right among three, with it .873 (docs/relevance.md).
 */
const CHANCE = 0.4;

/**
 * Pages of one section share this much of their paths. Of mistyped paths .981 were right first, with `nearCopy` .988.
 */
const SAME_SECTION = 0.6;

function above(floor: number, likeness: number): number {
  return Math.max(0, (likeness - floor) / (1 - floor));
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? Math.min(1, part / whole) : 0;
}

/** A dead path made ready once, to be compared with the paths of many live pages. */
export interface PreparedPath {
  compare(live: LivePath): PathEvidence;
}

/** `words` are the dead path's, corrected. */
export function preparePath({ segments }: DeadPath, words: readonly string[], weight: WordWeight): PreparedPath {
  const last = segments.at(-1) ?? '';
  const weights = new Map(distinct(words.map(readPathWord)).map(({ stem, word }) => [stem, weight(word)]));
  let total = 0;
  for (const one of weights.values()) total += one;
  const pathTrigrams = new Trigrams(segments.join('/'));
  const slugTrigrams = new Trigrams(last.replaceAll('-', ''));
  const slugStart = last.slice(0, MAX_EDIT_LENGTH);
  const numbers = new Set(numbersOf(last));

  const compareNumbers = (live: readonly string[]): number => {
    // Most slugs hold none.
    if (live.length === 0) return numbers.size === 0 ? 1 : 0.5;
    const others = new Set(live);
    const common = [...others].filter((number) => numbers.has(number)).length;
    const all = numbers.size + others.size - common;
    // A number that only one of them has may be a date that came or went: half as bad as two that differ.
    return numbers.size === 0 ? 0.5 : common / all;
  };

  return {
    compare(live) {
      // The weight of those words of the dead path that the live one holds, too; and of the live slug's that the dead
      // path holds.
      let [liveTotal, common] = [0, 0];
      for (const { word, stem } of live.words) {
        liveTotal += weight(word);
        common += weights.get(stem) ?? 0;
      }
      let [slugTotal, slugCommon] = [0, 0];
      for (const { word, stem } of live.slug) {
        const own = weight(word);
        slugTotal += own;
        if (weights.has(stem)) slugCommon += own;
      }
      const liveStart = (live.segments.at(-1) ?? '').slice(0, MAX_EDIT_LENGTH);
      const longer = Math.max(slugStart.length, liveStart.length);
      const deepest = Math.max(segments.length, live.segments.length);
      const pathDice = pathTrigrams.dice(live.whole);
      const slugDice = slugTrigrams.dice(live.slugLetters);
      const split = segments.findIndex((segment, i) => segment !== live.segments[i]);
      return {
        words: ratio(common, total + liveTotal - common),
        liveInDead: ratio(slugCommon, slugTotal),
        pathTrigrams: pathDice,
        nearCopy: above(SAME_SECTION, pathDice),
        slugTrigrams: above(CHANCE, slugDice),
        // Without a common trigram any edit similarity is chance, and not worth its time; nor are lengths so different.
        slugEdit:
          slugDice === 0 || Math.abs(slugStart.length - liveStart.length) >= (1 - CHANCE) * longer
            ? 0
            : above(CHANCE, 1 - editDistance(slugStart, liveStart) / longer),
        prefix: deepest === 0 ? 1 : (split < 0 ? segments.length : split) / deepest,
        depth: 1 / (1 + Math.abs(segments.length - live.segments.length)),
        numbers: compareNumbers(live.numbers),
      };
    },
  };
}

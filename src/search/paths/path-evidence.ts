import type { PathWords } from '../../glossary.js';
import { slips } from '../words/edit-cost.js';
import { isIndexFile, stripExtension } from './path-noise.js';
import { pathSegments } from './path-segments.js';
import { stem } from '../words/stem.js';
import { Trigrams } from './trigrams.js';

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
  /** Dice of the trigrams of the last segments' letters, separators aside: `carsafety` is `car-safety`; above chance. */
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

export interface LivePath {
  path: string;
  words: PathWords;
}

/** Edit distance takes the product of the lengths; the start of two slugs tells enough. */
const LONGEST_EDIT = 32;

/**
 * Two arbitrary slugs are this much alike; what is below tells nothing, and only what is above counts, stretched to
 * 0..1. Without it the chance likeness of `iot` and `innovation` outweighed what the content said: of redirects to
 * checking sites .852 were right among three, with it .873 (docs/relevance.md).
 */
const CHANCE = 0.4;

/** Pages of one section share this much of their paths. Of mistyped paths .981 were right first, with `nearCopy` .988. */
const SAME_SECTION = 0.6;

function above(floor: number, likeness: number): number {
  return Math.max(0, (likeness - floor) / (1 - floor));
}

const SEPARATORS = /[^\p{L}\p{N}\p{M}]+/gu;

/** Most live paths need no decoding, and reading them is most of a comparison's time. */
const ORDINARY_PATH = /^(?:\/[a-z0-9][a-z0-9_.-]*)*\/?$/i;

/** A path's segments to compare by their characters: decoded, lower case, without endings and index files. */
export function plainSegments(path: string): string[] {
  const ordinary = path.length <= 512 && ORDINARY_PATH.test(path);
  const segments = ordinary ? path.split('/').filter(segment => segment !== '') : pathSegments(path);
  if (segments.length > 0 && isIndexFile(segments.at(-1) ?? '')) segments.pop();
  // Pagination names no page of its own: `/news/page/2` is about `/news`.
  if (segments.length > 2 && segments.at(-2)?.toLowerCase() === 'page' && /^\d+$/.test(segments.at(-1) ?? '')) segments.splice(-2);
  return segments.map(segment => stripExtension(segment).toLowerCase().replace(ordinary ? /[_.-]+/g : SEPARATORS, '-'));
}

function numbersOf(segment: string): string[] {
  return (segment.match(/\d+/g) ?? []).map(digits => digits.replace(/^0+(?=\d)/, ''));
}

/** Words as a comparison takes them: their distinct stems, with the weight of the last word of each. */
interface WeighedWords {
  stems: string[];
  weights: number[];
  /** Of all. */
  total: number;
}

/** Arrays, since the words of a path are few: maps for every live path were a third of a comparison. */
function weigh(words: readonly string[], weight: WordWeight): WeighedWords {
  const stems: string[] = [];
  const weights: number[] = [];
  let total = 0;
  for (let i = words.length - 1; i >= 0; i--) {
    const word = words[i] as string;
    const root = stem(word);
    if (stems.includes(root)) continue;
    const value = weight(word);
    stems.push(root);
    weights.push(value);
    total += value;
  }
  return { stems, weights, total };
}

/** The weight of those words of `part` that `whole` holds, too. */
function shared(part: WeighedWords, whole: WeighedWords): number {
  let total = 0;
  for (let i = 0; i < part.stems.length; i++) if (whole.stems.includes(part.stems[i] as string)) total += part.weights[i] as number;
  return total;
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? Math.min(1, part / whole) : 0;
}

/** A dead path made ready once, to be compared with the paths of many live pages. */
export interface PreparedPath {
  compare(live: LivePath): PathEvidence;
}

/** `dead.words` may be corrected; `dead.raw` is the path as the browser sent it. */
export function preparePath(dead: PathWords & { raw: string }, weight: WordWeight): PreparedPath {
  const segments = plainSegments(dead.raw);
  const last = segments.at(-1) ?? '';
  const words = weigh(dead.words, weight);
  const pathTrigrams = new Trigrams(segments.join('/'));
  const slugTrigrams = new Trigrams(last.replaceAll('-', ''));
  const slugStart = last.slice(0, LONGEST_EDIT);
  const numbers = new Set(numbersOf(last));

  const compareNumbers = (other: string): number => {
    // Most slugs hold none.
    if (!/\d/.test(other)) return numbers.size === 0 ? 1 : 0.5;
    const others = new Set(numbersOf(other));
    const common = [...others].filter(number => numbers.has(number)).length;
    const all = numbers.size + others.size - common;
    if (all === 0) return 1;
    // A number that only one of them has may be a date that came or went: half as bad as two that differ.
    return numbers.size === 0 || others.size === 0 ? 0.5 : common / all;
  };

  return {
    compare(live) {
      const liveSegments = plainSegments(live.path);
      const liveLast = liveSegments.at(-1) ?? '';
      const liveWords = weigh(live.words.words, weight);
      const liveSlug = weigh(live.words.slug, weight);
      const common = shared(words, liveWords);
      const liveStart = liveLast.slice(0, LONGEST_EDIT);
      const longer = Math.max(slugStart.length, liveStart.length);
      const deepest = Math.max(segments.length, liveSegments.length);
      const pathDice = pathTrigrams.dice(liveSegments.join('/'));
      const slugDice = slugTrigrams.dice(liveLast.replaceAll('-', ''));
      const split = segments.findIndex((segment, i) => segment !== liveSegments[i]);
      return {
        words: ratio(common, words.total + liveWords.total - common),
        liveInDead: ratio(shared(liveSlug, words), liveSlug.total),
        pathTrigrams: pathDice,
        nearCopy: above(SAME_SECTION, pathDice),
        slugTrigrams: above(CHANCE, slugDice),
        // Without a common trigram any edit similarity is chance, and not worth its time; nor are lengths so different.
        slugEdit: slugDice === 0 || Math.abs(slugStart.length - liveStart.length) >= (1 - CHANCE) * longer ? 0 : above(CHANCE, 1 - slips(slugStart, liveStart) / longer),
        prefix: deepest === 0 ? 1 : (split < 0 ? segments.length : split) / deepest,
        depth: 1 / (1 + Math.abs(segments.length - liveSegments.length)),
        numbers: compareNumbers(liveLast),
      };
    },
  };
}

/** The evidence of one pair; `preparePath` is for one dead path and many live ones. */
export function pathEvidence(
  dead: PathWords & { raw: string },
  live: LivePath,
  weight: WordWeight,
): PathEvidence {
  return preparePath(dead, weight).compare(live);
}

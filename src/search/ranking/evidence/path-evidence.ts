import { editDistance, commonPrefix, dice, sortedTrigrams } from '../../../text/words/likeness.js';
import { allNumbersOf, distinctStems, lettersOf, type LivePath, readPathWord } from './page-path.js';
import { languageOf } from '../../../text/paths/sanitize-path.js';
import type { DeadPath } from '../../../text/paths/dead-path.js';
import { isTurnedAround, numbersOf, versionsOf } from '../../../text/paths/codes.js';

/** Evidence from the comparison of a live path with a dead one; each 0 to 1. */
export interface PathEvidence {
  /** Weighted Jaccard similarity of all words. */
  words: number;
  /** Dice's coefficient of the whole paths' trigrams, dates and numbers included. */
  pathTrigrams: number;
  /** `pathTrigrams` above the similarity of pages of one section: a live path with a typo or two. */
  nearCopy: number;
  /** exp(-edits) between the whole paths without hyphens; 0 from five edits on. Codes differ by a digit: `nu5128`. */
  pathEdit: number;
  /** Dice's coefficient of the last segments' trigrams, above {@link CHANCE}. Without separators: `carsafety`. */
  slugTrigrams: number;
  /** 1 - edit distance / length of the last segments, above {@link CHANCE}. */
  slugEdit: number;
  /** Common first segments, as a share of the longer path's. */
  prefix: number;
  /** 1 / (1 + difference in the number of segments). */
  depth: number;
  /** 1 if the last segments have the same numbers or none, 0 if all numbers differ. */
  numbers: number;
  /** 0 if each path has a number that the other lacks, such as another date, or another version; else 1. */
  noOtherNumber: number;
  /** 0 if the paths name different languages, 0.5 if only one names a language, else 1. */
  sameLanguage: number;
  /** Dice's coefficient of the trigrams of the folders: all segments but the last. */
  folderTrigrams: number;
  /** 1 if a folder of the dead path is the live slug: `/support/machines/e-12` and `/machines`. */
  slugIsFolder: number;
  /** If one slug contains the other: the square root of the shorter one's share of the letters. */
  slugWithin: number;
  /** 1 / (1 + segments of the live path): an overview is a likelier answer than a page far below. */
  shallow: number;
}

/** An inverse document frequency: 1 for an unknown word, less for a word on many pages. */
type WordWeight = (word: string) => number;

/** Longer slugs are cut, because the time of an edit distance grows with the product of the lengths. */
const MAX_EDIT_LENGTH = 32;

/**
 * Only similarity above that of arbitrary slugs counts: the likeness of `iot` and `innovation` outweighed content. Of
 * the checking sites' redirects .852 were right among three without this, with it .873.
 */
const CHANCE = 0.4;

/** Pages of one section are as alike. With `nearCopy` .988 of mistyped paths were right first, without .981. */
const SAME_SECTION = 0.6;

function scaleAbove(floor: number, similarity: number): number {
  return Math.max(0, (similarity - floor) / (1 - floor));
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? Math.min(1, part / whole) : 0;
}

/** More edits than these say nothing. */
const MAX_EDITS = 4;

/** Computes `pathEdit` of {@link PathEvidence}, of the differing parts alone: most are too long for a slip. */
function fewEdits(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  if (Math.max(a.length, b.length) - shorter > MAX_EDITS) return 0;
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  if (shorter - start - end > MAX_EDIT_LENGTH) return 0;
  const edits = editDistance(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return edits > MAX_EDITS ? 0 : Math.exp(-edits);
}

/** A shorter slug is in many others by chance. */
const MIN_WITHIN = 3;

/** Computes `slugWithin` of {@link PathEvidence}. */
function shareWithin(a: string, b: string): number {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= MIN_WITHIN && long.includes(short) ? Math.sqrt(short.length / long.length) : 0;
}

/** Whether each list has a number that the other lacks. */
function contradict(dead: readonly string[], live: readonly string[]): boolean {
  // A fast path: most paths have no numbers.
  return dead.length > 0 && live.length > 0 && lacksOne(dead, live) && lacksOne(live, dead);
}

function lacksOne(held: readonly string[], wanted: readonly string[]): boolean {
  const left = [...held];
  return wanted.some((number) => {
    const at = left.indexOf(number);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** A dead path, prepared once for comparison with many live paths. */
export interface PreparedPath {
  compare(live: LivePath): PathEvidence;
}

/** Prepares a dead path. `words`: its corrected words. */
export function preparePath({ segments }: DeadPath, words: readonly string[], weight: WordWeight): PreparedPath {
  const last = segments.at(-1) ?? '';
  const weights = new Map(distinctStems(words.map(readPathWord)).map(({ stem, word }) => [stem, weight(word)]));
  let total = 0;
  for (const wordWeight of weights.values()) total += wordWeight;
  const pathTrigrams = sortedTrigrams(segments.join('/'));
  const slugLetters = last.replaceAll('-', '');
  const letters = lettersOf(segments);
  const slugTrigrams = sortedTrigrams(slugLetters);
  const folders = segments.slice(0, -1);
  const folderTrigrams = sortedTrigrams(folders.join('/'));
  const allNumbers = allNumbersOf(segments);
  const versions = versionsOf(segments);
  const language = languageOf(segments);
  const slugStart = last.slice(0, MAX_EDIT_LENGTH);
  const numbers = new Set(numbersOf(last));

  const compareNumbers = (live: readonly string[]): number => {
    // If only one has numbers, they may be a date that was added or removed: half as bad as different numbers.
    if (live.length === 0 || numbers.size === 0) return live.length === numbers.size ? 1 : 0.5;
    let common = 0;
    for (const number of live) if (numbers.has(number)) common++;
    return common / (numbers.size + live.length - common);
  };

  // Many candidates share their folder.
  const likenessOfFolder = new Map<string, number>();
  const compareFolders = (live: LivePath): number => {
    let likeness = likenessOfFolder.get(live.folder);
    if (likeness === undefined)
      likenessOfFolder.set(live.folder, (likeness = dice(folderTrigrams, live.folderTrigrams)));
    return likeness;
  };

  return {
    compare(live) {
      let [liveTotal, common] = [0, 0];
      for (const { word, stem } of live.words) {
        liveTotal += weight(word);
        common += weights.get(stem) ?? 0;
      }
      const liveSlug = live.segments.at(-1) ?? '';
      const liveStart = liveSlug.slice(0, MAX_EDIT_LENGTH);
      const longer = Math.max(slugStart.length, liveStart.length);
      const deepest = Math.max(segments.length, live.segments.length);
      const pathDice = dice(pathTrigrams, live.pathTrigrams);
      const slugDice = dice(slugTrigrams, live.slugTrigrams);
      return {
        words: ratio(common, total + liveTotal - common),
        pathTrigrams: pathDice,
        nearCopy: scaleAbove(SAME_SECTION, pathDice),
        pathEdit: fewEdits(letters, live.letters),
        slugTrigrams: scaleAbove(CHANCE, slugDice),
        // Without a common trigram, or with lengths too different to exceed CHANCE, the edit distance is not computed.
        slugEdit:
          slugDice === 0 || Math.abs(slugStart.length - liveStart.length) >= (1 - CHANCE) * longer
            ? 0
            : scaleAbove(CHANCE, 1 - editDistance(slugStart, liveStart) / longer),
        prefix: deepest === 0 ? 1 : commonPrefix(segments, live.segments) / deepest,
        depth: 1 / (1 + Math.abs(segments.length - live.segments.length)),
        numbers: compareNumbers(live.numbers),
        noOtherNumber: contradict(allNumbers, live.allNumbers) || isTurnedAround(versions, live.versions) ? 0 : 1,
        sameLanguage: language === live.language ? 1 : language === '' || live.language === '' ? 0.5 : 0,
        folderTrigrams: compareFolders(live),
        slugIsFolder: liveSlug !== '' && folders.includes(liveSlug) ? 1 : 0,
        slugWithin: shareWithin(slugLetters, live.slugLetters),
        shallow: 1 / (1 + live.segments.length),
      };
    },
  };
}

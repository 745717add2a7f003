import type { PathWords } from '../../glossary.js';
import { editDistance, typingCost } from '../../text/words/edit-distance.js';
import { forms, joinOf, maxEdits, splitsOf } from './word-readings.js';

/** A vocabulary word and the number of the project's pages that hold it. */
export interface NearWord {
  word: string;
  pages: number;
}

export interface Correction {
  from: string;
  to: string;
}

/**
 * How much one unit of typing cost outweighs frequency, in the noisy channel's log(1 + pages) - weight * cost
 * (Kernighan, Church and Gale 1990). One edit costs as much as being on e^4, some 55, times fewer pages.
 */
const EDIT_WEIGHT = 4;
/** A blank left out. Dearer than the commonest editDistance, or `modeis` would be `mode is` before `models`. */
const BLANK_COST = 0.8;
/** Short words fit into anything: `isand`, `meetin`. */
const SHORT_PART_COST = 0.5;

function pagesOf(word: string, known: ReadonlyMap<string, number>): number {
  return Math.max(...forms(word).map((form) => known.get(form) ?? 0));
}

/** Numbers, single letters and pairs are never misspelt: nothing could tell. */
function isKnown(word: string, known: ReadonlyMap<string, number>): boolean {
  return /^\p{N}+$/u.test(word) || word.length < 2 || pagesOf(word, known) > 0;
}

/** The noisy channel's log-probability, up to a constant. */
function likelihood(pages: number, cost: number): number {
  return Math.log1p(pages) - EDIT_WEIGHT * cost;
}

function digitsOf(word: string): string {
  return word.replace(/\P{Nd}+/gu, ' ').trim();
}

/** The likeliest reading of an unknown word: a near word, or two words that ran together; none if none convinces. */
function likeliestReading(
  word: string,
  known: ReadonlyMap<string, number>,
  near: readonly NearWord[],
): string[] | undefined {
  let best: string[] | undefined;
  let bestLikelihood = -Infinity;
  const offer = (reading: string[], value: number): void => {
    if (value > bestLikelihood) [best, bestLikelihood] = [reading, value];
  };
  const allowed = maxEdits(word);
  for (const { word: other, pages } of near) {
    if (other.length < 4 || digitsOf(other) !== digitsOf(word) || editDistance(word, other) > allowed) continue;
    offer([other], likelihood(pages, typingCost(word, other)));
  }
  for (const [left, right] of splitsOf(word)) {
    const spelled = [left, right].filter((part) => !/^\d+$/.test(part));
    const pages = Math.min(...spelled.map((part) => pagesOf(part, known)));
    const short = spelled.some((part) => part.length < 4) ? SHORT_PART_COST : 0;
    if (pages > 0) offer([left, right], likelihood(pages, BLANK_COST + short));
  }
  return best;
}

/**
 * Should two neighbours be one word? Yes if the vocabulary has it and lacks a piece. If it has both pieces, too, the
 * join must be as common as the rarer piece: the writers prefer it then (`data base`), while a few times
 * `plainlanguage` in addresses do not make one word of `plain language`.
 */
function shouldJoin(left: string, right: string, known: ReadonlyMap<string, number>): boolean {
  const join = joinOf(left, right);
  const pages = join === undefined ? 0 : pagesOf(join, known);
  if (pages === 0) return false;
  const rarer = Math.min(pagesOf(left, known), pagesOf(right, known));
  return rarer === 0 || (left.length > 2 && right.length > 2 && pages >= 2 && pages >= rarer);
}

function correctRun(
  words: string[],
  known: ReadonlyMap<string, number>,
  near: ReadonlyMap<string, readonly NearWord[]>,
): { words: string[]; corrections: Correction[] } {
  const result: string[] = [];
  const corrections: Correction[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    const next = words[i + 1] ?? '';
    if (shouldJoin(word, next, known)) {
      corrections.push({ from: `${word} ${next}`, to: word + next });
      result.push(word + next);
      i++;
      continue;
    }
    const reading = isKnown(word, known) ? undefined : likeliestReading(word, known, near.get(word) ?? []);
    if (reading) corrections.push({ from: word, to: reading.join(' ') });
    result.push(...(reading ?? [word]));
  }
  return { words: result, corrections };
}

/**
 * Corrects a path's words against the project's vocabulary. `known`: on how many pages each of `readingsToLookUp`
 * stands; `near`, of those of `correctableWords` that are not known: vocabulary words within Levenshtein distance 2. A
 * word that the vocabulary knows stays as it is, and so does one for which nothing convincing is found.
 */
export function correctSpelling(
  words: PathWords,
  known: ReadonlyMap<string, number>,
  near: ReadonlyMap<string, readonly NearWord[]>,
): { words: PathWords; corrections: Correction[] } {
  // The slug is read apart from the folders before it: words of two segments never join.
  const head = correctRun(words.words.slice(0, words.words.length - words.slug.length), known, near);
  const slug = correctRun(words.slug, known, near);
  return {
    words: { words: [...head.words, ...slug.words], slug: slug.words },
    corrections: [...head.corrections, ...slug.corrections],
  };
}

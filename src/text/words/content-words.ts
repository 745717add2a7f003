import { normalize, UNSPACED } from './split-words.js';

const MAX_WORD_LENGTH = 40;
const MAX_CODE_LENGTH = 24;
/**
 * A page adds its first words to the project's vocabulary, up to this number. Of the 27,600 pages that spelling is
 * measured on, none has more than 4,821. A hostile megabyte has 300,000, each a row with three index entries.
 */
const MAX_WORDS_OF_PAGE = 20_000;

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’ʼ][\p{L}\p{N}\p{M}]+)*/gu;
const WORD_ONLY = /^[\p{L}\p{N}\p{M}]+$/u;
const APOSTROPHE = /['’ʼ]/g;
/** Articles and other small words that French and Italian join to the next one: `l'espace`, `d'une`, `dell'arte`. */
const ELIDED = /^(?:[cdjlmnst]|(?:jus|lors|puis|quoi|quel)?qu|(?:a|co|da|de|ne|que|su)ll|un)['’ʼ](?=[\p{L}\p{N}]{2})/iu;
/** The letters of a Korean syllable, where it comes decomposed. */
const JAMO = /[\u1100-\u11ff]/;
const ASCII_WORD = /^[a-z0-9]+$/i;
/** `E-17`, `AB-1234.5`, `2.3.1`, `RFC_2616`: parts with separators but without spaces. */
const CODE = /(?<![\p{L}\p{N}])[\p{L}\p{N}]{1,16}(?:[-._/][\p{L}\p{N}]{1,16}){1,3}(?![\p{L}\p{N}])/gu;

/**
 * The words of a page or question in reading order, with repeats: 2 to 40 characters, lower case. camelCase is not
 * split, because visitors type `OpenAPI` as `openapi`. A run of a script without spaces gives overlapping pairs of
 * characters, as in CJK analyzers: `使用说明` gives `使用`, `用说`, `说明`. `l'espace` gives `espace`. Takes linear time: each
 * word is normalized alone, so that a hostile run of marks costs no more than its length.
 * @param alsoJoined also gives `lespace`, which many slugs have.
 */
export function* contentTokens(text: string, alsoJoined = false): Generator<string> {
  for (const [match] of text.matchAll(WORD)) {
    if (ASCII_WORD.test(match)) {
      if (match.length >= 2 && match.length <= MAX_WORD_LENGTH) yield match.toLowerCase();
      continue;
    }
    const word = JAMO.test(match) ? normalize(match) : match;
    const parts = word.search(UNSPACED) < 0 ? [word] : word.replace(UNSPACED, ' $& ').split(' ');
    for (const part of parts) yield* tokensOf(part, alsoJoined);
  }
}

function* tokensOf(part: string, alsoJoined: boolean): Generator<string> {
  if (part !== '' && part.replace(UNSPACED, '') === '') {
    // Characters are normalized one by one (half-width kana).
    yield* characterPairs(part);
    return;
  }
  // Normalizing may shorten a word, but not to less than half.
  if (part.length < 2 || part.length > 2 * MAX_WORD_LENGTH) return;
  const plain = normalize(part);
  const joined = plain.replace(APOSTROPHE, '').toLowerCase();
  if (joined.length < 2 || joined.length > MAX_WORD_LENGTH || !WORD_ONLY.test(joined)) return;
  const elided = joined.length === plain.length ? undefined : ELIDED.exec(plain)?.[0];
  if (elided !== undefined) yield joined.slice(elided.length - 1);
  if (elided === undefined || alsoJoined) yield joined;
}

/** Overlapping pairs of a run's characters; a run of one character gives that character. */
export function* characterPairs(run: string): Generator<string> {
  let before: string | undefined;
  let pairs = 0;
  for (const character of run) {
    const one = character.normalize('NFKC');
    if (before !== undefined) {
      pairs++;
      yield before + one;
    }
    before = one;
  }
  if (pairs === 0 && before !== undefined) yield before;
}

/**
 * Codes, versions and product numbers as one word, in addition to their parts, for exact matches: `E-17` gives `e17`,
 * as `E17` does; `2.3.1` stays. Each has a digit and at most 24 characters.
 */
export function* codesOf(text: string): Generator<string> {
  for (const [match] of text.matchAll(CODE)) {
    if (match.length > MAX_CODE_LENGTH || !/\p{Nd}/u.test(match)) continue;
    const code = match.toLowerCase();
    yield /\p{L}/u.test(code) ? normalize(code.replace(/[-._/]/g, '')) : code;
  }
}

/** The words that a page adds to its project's vocabulary. `words`: all of its words, in reading order. */
export function limitVocabulary(words: Iterable<string>): Set<string> {
  const kept = new Set<string>();
  for (const word of words) {
    if (kept.size === MAX_WORDS_OF_PAGE) break;
    kept.add(word);
  }
  return kept;
}

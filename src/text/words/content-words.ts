import { normalize, UNSPACED } from './split-words.js';

const MAX_WORD_LENGTH = 40;
const MAX_CODE_LENGTH = 24;
/**
 * Words that a page adds to its project's vocabulary, the first ones. Of the 27,600 pages of the sites that spelling is
 * measured on none has more than 4,821; a megabyte made for the purpose has 300,000, each a row and three entries of
 * indexes.
 */
const MAX_WORDS_OF_PAGE = 20_000;

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’ʼ][\p{L}\p{N}\p{M}]+)*/gu;
const WORD_ONLY = /^[\p{L}\p{N}\p{M}]+$/u;
const APOSTROPHE = /['’ʼ]/g;
const ASCII_WORD = /^[a-z0-9]+$/i;
/** `E-17`, `AB-1234.5`, `2.3.1`, `RFC_2616`: parts without spaces between them. */
const CODE = /(?<![\p{L}\p{N}])[\p{L}\p{N}]{1,16}(?:[-._/][\p{L}\p{N}]{1,16}){1,3}(?![\p{L}\p{N}])/gu;

/**
 * The words of a page or question in reading order, repeats kept: 2 to 40 characters, lower case, as they are written
 * (no camelCase split: `OpenAPI` is the word that a visitor types as `openapi`). A run of a script without spaces
 * gives its overlapping pairs of characters, as CJK analyzers do: `使用说明` gives `使用`, `用说`, `说明`. Linear in the
 * text's length; each word is normalized alone, so that no hostile run of marks costs more than its length.
 */
export function* contentTokens(text: string): Generator<string> {
  for (const [match] of text.matchAll(WORD)) {
    if (ASCII_WORD.test(match)) {
      if (match.length >= 2 && match.length <= MAX_WORD_LENGTH) yield match.toLowerCase();
      continue;
    }
    const parts = match.search(UNSPACED) < 0 ? [match] : match.replace(UNSPACED, ' $& ').split(' ');
    for (const part of parts) yield* tokensOf(part);
  }
}

function* tokensOf(part: string): Generator<string> {
  if (part !== '' && part.replace(UNSPACED, '') === '') {
    // What normalizing changes (half-width kana) stays one character for one.
    yield* characterPairs(part);
    return;
  }
  // Beyond twice the limit not even dropped apostrophes and composed marks bring a word back under it.
  if (part.length < 2 || part.length > 2 * MAX_WORD_LENGTH) return;
  const word = normalize(part).replace(APOSTROPHE, '').toLowerCase();
  if (word.length >= 2 && word.length <= MAX_WORD_LENGTH && WORD_ONLY.test(word)) yield word;
}

/** Overlapping pairs of a run's characters; a character that stands alone is itself. */
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
 * Codes, versions and product numbers as one word beside their parts, so that they are found exactly: `E-17` gives
 * `e17` (as `E17` is typed, too), `2.3.1` stays. Only what holds a digit; 24 characters at most.
 */
export function* codesOf(text: string): Generator<string> {
  for (const [match] of text.matchAll(CODE)) {
    if (match.length > MAX_CODE_LENGTH || !/\p{Nd}/u.test(match)) continue;
    const code = match.toLowerCase();
    yield /\p{L}/u.test(code) ? normalize(code.replace(/[-._/]/g, '')) : code;
  }
}

/** The distinct words and codes of a page's content that it adds to the project's vocabulary. */
export function contentVocabulary(content: string): Set<string> {
  const words = new Set(contentTokens(content));
  for (const code of codesOf(content)) words.add(code);
  return vocabularyOfPage(words);
}

/** Of all words of a page's content, in the order in which they were first read. */
export function vocabularyOfPage(words: Iterable<string>): Set<string> {
  const kept = new Set<string>();
  for (const word of words) {
    if (kept.size === MAX_WORDS_OF_PAGE) break;
    kept.add(word);
  }
  return kept;
}

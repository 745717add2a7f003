import { cutText } from '../cut-text.js';
import { stem } from './word-forms.js';

/** Longer words are cut: no vocabulary contains them, and PostgreSQL and edit distances would be slow. */
const MAX_WORD_LENGTH = 64;

/** A text is cut before NFKC and after it: NFKC turns one character into up to eighteen (U+FDFA). */
const MAX_TEXT_LENGTH = 10_000;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const APOSTROPHE_IN_WORD = /(?<=[\p{L}\p{N}\p{M}])['’ʼ](?=[\p{L}\p{N}])/gu;
/** Scripts without spaces (UAX #14, SA; Han, kana), and Korean, which joins particles. A run is one word here. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+/gu;
const ASCII = /^[\x00-\x7F]*$/;

/** Cuts runs of combining marks that no script needs: ICU sorts in quadratic time (200,000 alternating: seconds). */
export function cutMarks(text: string): string {
  return text.replace(/(\p{M}{8})\p{M}+/gu, '$1');
}

/** Normalizes to NFKC in linear time, and drops invisible characters: zero-width, soft hyphen, direction marks. */
function normalize(text: string): string {
  if (ASCII.test(text)) return text;
  return cutMarks(text.replace(/\p{Cf}+/gu, '')).normalize('NFKC');
}

/**
 * Splits a camelCase, PascalCase or HTTPServer word, and a word joined to a year (`feb2017`). Other digits stay with
 * their letters (`k40`, `covid19`, `fy20q3`), which mean nothing apart. No split may leave a single letter, but for
 * `I` and `A` within a sentence (`WhenWillIGetMyRefund`): `iPhone`, `OAuth` and `aLtErNaTiNg` stay whole.
 */
function splitCamelCase(word: string): string[] {
  const parts = word
    // Normalizing leaves at most 8 marks.
    .replace(/(?<=\p{Ll}\p{M}{0,8})(?=\p{Lu})/gu, ' ')
    .replace(/(?<=\p{N})(?=\p{Lu}\p{Ll})/gu, ' ')
    // Before `Server` in `HTTPServer`, but not before the last capital of `APIs`.
    .replace(/(?<=\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?!\p{L}))/gu, ' ')
    .replace(/(?<=\p{L}{3})(?=(?:19|20)\d\d(?![\p{L}\p{N}]))/gu, ' ')
    .replace(/(?<=(?<![\p{L}\p{N}])(?:19|20)\d\d)(?=\p{L}{3})/gu, ' ')
    .split(' ');
  const isWord = (part: string, at: number): boolean =>
    part.length > 1 || (parts.length > 2 && at > 0 && /^[AI]$/.test(part));
  return parts.every(isWord) ? parts : [word];
}

/** Most parts of paths are such words, which are read as they are. */
const LOWER_CASE = /^[a-z]{1,64}(?: [a-z]{1,64})*$/;

/** Does what {@link splitWords} does, but keeps upper case. */
export function splitCased(text: string): string[] {
  if (text.length <= MAX_TEXT_LENGTH && LOWER_CASE.test(text)) return text.split(' ');
  const plain = normalize(text.slice(0, MAX_TEXT_LENGTH)).slice(0, MAX_TEXT_LENGTH);
  const spaced = plain.replace(APOSTROPHE_IN_WORD, '').replace(UNSPACED, ' $& ');
  return (spaced.match(WORD) ?? []).flatMap((word) => splitCamelCase(cutText(word, MAX_WORD_LENGTH)));
}

/**
 * The words of a path, slug, title or query: NFKC, lower case (independent of locale), in reading order, with repeats.
 * Splits at separators, camelCase and years; drops apostrophes inside words (`what's` gives `whats`). Reads the first
 * 10,000 characters.
 */
export function splitWords(text: string): string[] {
  return splitCased(text).map((word) => word.toLowerCase());
}

const MAX_TOKEN_LENGTH = 40;

const MAX_CODE_LENGTH = 24;
/**
 * A page adds its first words to the project's vocabulary, up to this number. Of the 27,600 pages that spelling is
 * measured on, none has more than 4,821. A hostile megabyte has 300,000, each a row with three index entries.
 */
const MAX_WORDS_OF_PAGE = 20_000;

const TOKEN = /[\p{L}\p{N}\p{M}]+(?:['’ʼ][\p{L}\p{N}\p{M}]+)*/gu;

const WORD_ONLY = /^[\p{L}\p{N}\p{M}]+$/u;
const APOSTROPHE = /['’ʼ]/g;
/** Articles and other small words that French and Italian join to the next one: `l'espace`, `d'une`, `dell'arte`. */
const ELIDED = /^(?:[cdjlmnst]|(?:jus|lors|puis|quoi|quel)?qu|(?:a|co|da|de|ne|que|su)ll|un)['’ʼ](?=[\p{L}\p{N}]{2})/iu;
/** Matches the letters of a Korean syllable that is decomposed. */
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
  for (const [match] of text.matchAll(TOKEN)) {
    if (ASCII_WORD.test(match)) {
      if (match.length >= 2 && match.length <= MAX_TOKEN_LENGTH) yield match.toLowerCase();
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
  if (part.length < 2 || part.length > 2 * MAX_TOKEN_LENGTH) return;
  const plain = normalize(part);
  const joined = plain.replace(APOSTROPHE, '').toLowerCase();
  if (joined.length < 2 || joined.length > MAX_TOKEN_LENGTH || !WORD_ONLY.test(joined)) return;
  const elided = joined.length === plain.length ? undefined : ELIDED.exec(plain)?.[0];
  if (elided !== undefined) yield joined.slice(elided.length - 1);
  if (elided === undefined || alsoJoined) yield joined;
}

/** Overlapping pairs of a run's characters; a run of one character gives that character. */
export function* characterPairs(run: string): Generator<string> {
  let before: string | undefined;
  let pairs = 0;
  for (const character of run) {
    const normalized = character.normalize('NFKC');
    if (before !== undefined) {
      pairs++;
      yield before + normalized;
    }
    before = normalized;
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

/** The max headings. Pages of 21 sites have 8 on average; what follows on longer pages is mostly lists. */
const MAX_HEADINGS = 80;

const MAX_HEADING_LENGTH = 80;

const HASHES = /^#{1,6}\s+/;
const SENTENCE_END = /[.!?。！？:;,…]["')\]]*$/;

/**
 * The headings of a content but its first line: short lines between blank ones that end no sentence, as importers
 * write them, and lines of Markdown's hashes. One heading a line, as its distinct words without endings. Takes time
 * linear in the content's length.
 */
export function readHeadings(content: string): string {
  const headings: string[] = [];
  let [before, line, isFirst] = ['', '', true];
  const read = (after: string): void => {
    if (line === '') return;
    const isHeading = !isFirst && (HASHES.test(line) || (before === '' && after === ''));
    isFirst = false;
    const text = isHeading ? line.replace(HASHES, '') : '';
    if (text === '' || text.length > MAX_HEADING_LENGTH || SENTENCE_END.test(text)) return;
    const words = new Set(Array.from(contentTokens(text), stem));
    if (words.size > 0) headings.push([...words].join(' '));
  };
  for (const next of content.split('\n')) {
    const after = next.trim();
    read(after);
    if (headings.length === MAX_HEADINGS) return headings.join('\n');
    [before, line] = [line, after];
  }
  read('');
  return headings.join('\n');
}

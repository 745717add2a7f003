import { cutText } from '../cut-text.js';

/** Longer words are cut: no vocabulary contains them, and PostgreSQL and edit distances would be slow. */
const MAX_WORD_LENGTH = 64;

/** Applied before and after NFKC, which turns one character into up to eighteen (U+FDFA). */
const MAX_TEXT_LENGTH = 10_000;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const APOSTROPHE_IN_WORD = /(?<=[\p{L}\p{N}\p{M}])['’ʼ](?=[\p{L}\p{N}])/gu;
/**
 * Scripts without spaces between words (UAX #14, class SA; Han and kana), and Korean, which joins particles to words. A
 * run of them is one word here.
 */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+/gu;
const ASCII = /^[\x00-\x7F]*$/;

/**
 * Cuts runs of combining marks that are longer than any real script needs: ICU sorts one in quadratic time (200,000
 * alternating marks took seconds).
 */
export function cutMarks(text: string): string {
  return text.replace(/(\p{M}{8})\p{M}+/gu, '$1');
}

/** NFKC in linear time. Invisible format characters are dropped: zero-width, soft hyphen, direction marks. */
export function normalize(text: string): string {
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

/** {@link splitWords} without lower case. */
export function splitCased(text: string): string[] {
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

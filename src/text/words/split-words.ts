import { cutText } from '../cut-text.js';

/** Longer words are cut: no vocabulary holds them, and PostgreSQL and edit distances are spared. */
const MAX_WORD_LENGTH = 64;

/** NFKC makes one character eighteen at worst (U+FDFA); a short text must not become a long one. */
const MAX_TEXT_LENGTH = 10_000;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const APOSTROPHE_IN_WORD = /(?<=[\p{L}\p{N}\p{M}])['’ʼ](?=[\p{L}\p{N}])/gu;
/** Scripts that put no spaces between words (UAX #14, class SA, Han and kana): a run of them is one word here. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+/gu;
const ASCII = /^[\x00-\x7F]*$/;

/**
 * NFKC in linear time. ICU sorts a run of combining marks by insertion, which is quadratic (measured: 200,000
 * alternating marks take seconds), so runs beyond any real script's need are cut first. Format characters
 * (zero-width, soft hyphen, direction marks) are invisible to the writer and vanish.
 */
export function normalize(text: string): string {
  if (ASCII.test(text)) return text;
  return text
    .replace(/\p{Cf}+/gu, '')
    .replace(/(\p{M}{8})\p{M}+/gu, '$1')
    .normalize('NFKC');
}

/**
 * The parts of a camelCase, PascalCase or HTTPServer word, and of a word glued to a year (`feb2017`). Other digits
 * stay with their letters (`k40`, `covid19`, `fy20q3`): apart they would be a meaningless letter and number.
 * A split that would leave a lone letter is none: `iPhone`, `OAuth`, and `aLtErNaTiNg` case stay whole.
 */
function camelParts(word: string): string[] {
  const parts = word
    // As many marks as normalizing leaves.
    .replace(/(?<=\p{Ll}\p{M}{0,8})(?=\p{Lu})/gu, ' ')
    .replace(/(?<=\p{N})(?=\p{Lu}\p{Ll})/gu, ' ')
    // The capital that begins `Server` in `HTTPServer`, but not the one before the plural's s in `APIs`.
    .replace(/(?<=\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?!\p{L}))/gu, ' ')
    .replace(/(?<=\p{L}{3})(?=(?:19|20)\d\d(?![\p{L}\p{N}]))/gu, ' ')
    .replace(/(?<=(?<![\p{L}\p{N}])(?:19|20)\d\d)(?=\p{L}{3})/gu, ' ')
    .split(' ');
  return parts.every((part) => part.length > 1) ? parts : [word];
}

/** The words of a text as written, in reading order; `splitWords` without the lower case. */
export function splitCased(text: string): string[] {
  const plain = normalize(text.slice(0, MAX_TEXT_LENGTH)).slice(0, MAX_TEXT_LENGTH);
  const spaced = plain.replace(APOSTROPHE_IN_WORD, '').replace(UNSPACED, ' $& ');
  return (spaced.match(WORD) ?? []).flatMap((word) => camelParts(cutText(word, MAX_WORD_LENGTH)));
}

/**
 * The words of a path, slug or short text: Unicode, NFKC, lower case (of no locale), in reading order, repeats kept.
 * Meant for a path, slug, title or query: reads the first 10,000 characters.
 * Splits at separators, camelCase and years; drops apostrophes inside words (`what's` gives `whats`).
 */
export function splitWords(text: string): string[] {
  return splitCased(text).map((word) => word.toLowerCase());
}

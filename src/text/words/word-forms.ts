const ASCII = /^[\x00-\x7F]*$/;
const ACCENTED = /(\p{Script=Latin})\p{M}+/gu;
/** Letters that Unicode does not decompose, in the spelling of slugs. */
const SPELT: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ı: 'i' };
const UNCOMPOSED = /[ßæœøđðþłı]/g;

/** Drops the accents of Latin letters: visitors type `cafe` for `café`. */
export function dropAccents(text: string): string {
  return ASCII.test(text) ? text : text.normalize('NFD').replace(ACCENTED, '$1').normalize('NFC');
}

/** Writes a lower-case text in the letters of slugs: `größe` gives `grosse`, `løsning` gives `losning`. */
export function foldLetters(text: string): string {
  return ASCII.test(text) ? text : dropAccents(text).replace(UNCOMPOSED, (letter) => SPELT[letter] ?? letter);
}

const CYRILLIC = /^(\p{Script=Cyrillic}{6})\p{Script=Cyrillic}*$/u;
const DOUBLED = /([bdfgmnprt])\1$/;

/**
 * A light English stemmer for comparing words: it drops plurals, -ing and -ed. `policies` and `policy`, `writing` and
 * `write`, `started` and `start` have one stem. Porter's stemmer conflates too many different words in short slugs. A
 * word with other characters than lower-case ASCII letters is its own stem, except a long Cyrillic word.
 */
export function stem(word: string): string {
  if (word.length < 4) return word;
  if (!/^[a-z]+$/.test(word)) return cyrillicStem(word) ?? word;
  const single = singular(word);
  let root = single;
  for (const ending of ['ing', 'ed']) {
    const rest = single.slice(0, -ending.length);
    if (single.endsWith(ending) && rest.length >= 3 && /[aeiouy]/.test(rest)) {
      root = rest.replace(DOUBLED, '$1');
      break;
    }
  }
  // `writing` and `write` both give `writ`.
  return root.length > 3 && root.endsWith('e') ? root.slice(0, -1) : root;
}

/**
 * The first six letters of a Cyrillic word with as many: a word of Russian or Ukrainian has a dozen forms, too many to
 * look up one by one. In upper case, so that no path's word is corrected to it.
 */
export function cyrillicStem(word: string): string | undefined {
  return CYRILLIC.exec(word)?.[1]?.toUpperCase();
}

/** The singular of an English plural; other words are unchanged. */
export function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  return /(?:s|x|z|ch|sh)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

/** The regular English plural of a word. */
export function plural(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

const LATIN = /\p{Script=Latin}/u;

/** The forms under which the vocabulary may contain a word's term. Only Latin words have English forms. */
export function wordForms(word: string): string[] {
  return [...new Set(LATIN.test(word) ? [word, singular(word), plural(word), stem(word)] : [word, stem(word)])];
}

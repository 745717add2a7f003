const DOUBLED = /([bdfgmnprt])\1$/;

/**
 * A light English stemmer for comparing words: it drops plurals, -ing and -ed. `policies` and `policy`, `writing` and
 * `write`, `started` and `start` have one stem. Porter's stemmer conflates too many different words in short slugs.
 * Words with other than lower-case ASCII letters are their own stem.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
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

import { isBert, readsWordByWord, type Tokenizer, type TokenizerFile } from './tokenizer.js';

/**
 * The time of WordPiece grows with the cube of a word's length, up to 100 characters, where it gives up on the word: a
 * megabyte of base64 took 50 s. Hardly a word of any language has more than 32 characters. Longer ones are cut there
 * and read in parts.
 */
const LONG_WORD = /[\p{L}\p{M}\p{N}]{32}(?=[\p{L}\p{M}\p{N}])/gu;
const MAX_WORD_CHARACTERS = 32;

/** Max words in the cache, some 5 MB. Most words of a new page are among those of earlier pages. */
const MAX_WORDS = 32_768;

/** The blanks that every part of BERT's tokenizer splits at. It drops some other control characters inside words. */
const BLANKS = /[ \n\t\r]+/;
/** Characters that XLM-R's tokenizer turns into blanks. */
const ALL_BLANKS = /[\t\n\f\r \u00a0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2581\u3000\ufeff\ufffd]+/;

/** Printable ASCII. There, each character except letters and digits is punctuation and a word of its own. */
const PLAIN = /^[!-~]+$/;
const PART = /[0-9A-Za-z]+|[^0-9A-Za-z]/g;

/** A tokenizer of texts, without special tokens. */
export interface WordTokens {
  tokenize(text: string): readonly number[];
}

/**
 * A tokenizer with a cache of words. BERT's and XLM-R's tokenizers, which most embedding models share, ours included,
 * read one word at a time, between blanks, so the tokens of a word are the same everywhere. They take 3 to 10 µs for a
 * word, a look-up 0.1 µs. Other tokenizers read whole texts, without cache.
 */
export function cacheWordTokens(file: TokenizerFile, tokenizer: Pick<Tokenizer, 'encode'>): WordTokens {
  const ofWordPieces = isBert(file);
  const blanks = ofWordPieces ? BLANKS : ALL_BLANKS;
  const encode = (text: string): number[] =>
    text === '' ? [] : tokenizer.encode(ofWordPieces ? splitLongWords(text) : text, { add_special_tokens: false });
  if (!readsWordByWord(file)) return { tokenize: encode };

  const added = (file.added_tokens ?? []).map(({ content }) => content);
  let words = new Map<string, readonly number[]>();
  function tokenizeWord(word: string): readonly number[] {
    let tokens = words.get(word);
    if (tokens !== undefined) return tokens;
    // A text such as `(word,` is a word between punctuation, and the word may be known.
    const parts =
      ofWordPieces && PLAIN.test(word) && !added.some((content) => word.includes(content))
        ? (word.match(PART) ?? [])
        : [];
    tokens = parts.length > 1 ? parts.flatMap(tokenizeWord) : encode(word);
    if (word.length > MAX_WORD_CHARACTERS) return tokens;
    // The cache is emptied when it is full: common words return quickly.
    if (words.size >= MAX_WORDS) words = new Map();
    words.set(word, tokens);
    return tokens;
  }
  return {
    tokenize: (text) => {
      const tokens: number[] = [];
      for (const word of text.split(blanks))
        if (word !== '') for (const token of tokenizeWord(word)) tokens.push(token);
      return tokens;
    },
  };
}

function splitLongWords(text: string): string {
  return text.length > MAX_WORD_CHARACTERS ? text.replace(LONG_WORD, '$& ') : text;
}

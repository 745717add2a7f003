import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PreTrainedTokenizer } from '@huggingface/transformers';

/**
 * WordPiece's time grows with the cube of a word's length up to 100, beyond which it gives up on the word: a megabyte
 * of base64 took 50 s. Hardly a word of any language is longer than 32 characters; cut there, the rest is read too.
 */
const LONG_WORD = /[\p{L}\p{M}\p{N}]{32}(?=[\p{L}\p{M}\p{N}])/gu;
const MAX_WORD_CHARACTERS = 32;

/** Words remembered: some 5 MB. Most words of a new page are among those of the pages before it. */
const MAX_WORDS = 32_768;

/** Only what every part of BERT's tokenizer takes for a blank: it drops some other control characters inside words. */
const BLANKS = /[ \n\t\r]+/;

/** Printable ASCII, of which whatever is no letter or digit is punctuation, each character a word of its own. */
const PLAIN = /^[!-~]+$/;
const PART = /[0-9A-Za-z]+|[^0-9A-Za-z]/g;

/** Gives the tokens of a text, special tokens left out. */
export interface WordTokens {
  tokenize(text: string): readonly number[];
  /** How many tokens there are: all are numbers below this. */
  vocabulary: number;
}

interface TokenizerFile {
  normalizer?: { type?: string } | null;
  pre_tokenizer?: { type?: string } | null;
  /** `vocab`: a token's number by its text (WordPiece, BPE), or the texts with their values in order (Unigram). */
  model?: { type?: string; vocab?: Record<string, number> | unknown[] };
  added_tokens?: { id: number; content: string }[];
}

/**
 * A tokenizer that remembers words. BERT's (which most embedding models share, ours included) looks at one word at a
 * time, between blanks, so what it made of a word holds wherever the word stands; transformers.js's takes 3 to 10 µs
 * for a word, a look-up 0.1 µs. Other tokenizers are asked for whole texts.
 */
export async function cacheWordTokens(folder: string, tokenizer: PreTrainedTokenizer): Promise<WordTokens> {
  const file = JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')) as TokenizerFile;
  const ask = (text: string): number[] =>
    text === '' ? [] : tokenizer.encode(shortWords(text), { add_special_tokens: false });
  const vocabulary = vocabularyOf(file);
  if (!readsWordByWord(file)) return { tokenize: ask, vocabulary };

  const added = (file.added_tokens ?? []).map(({ content }) => content);
  let words = new Map<string, readonly number[]>();
  function remembered(word: string): readonly number[] {
    let tokens = words.get(word);
    if (tokens !== undefined) return tokens;
    // `(word,` is a word that is known by itself, between punctuation.
    const parts = PLAIN.test(word) && !added.some((content) => word.includes(content)) ? (word.match(PART) ?? []) : [];
    tokens = parts.length > 1 ? parts.flatMap(remembered) : ask(word);
    if (word.length > MAX_WORD_CHARACTERS) return tokens;
    // The common ones are back at once.
    if (words.size >= MAX_WORDS) words = new Map();
    words.set(word, tokens);
    return tokens;
  }
  return {
    vocabulary,
    tokenize: (text) => {
      const tokens: number[] = [];
      for (const word of text.split(BLANKS)) if (word !== '') for (const token of remembered(word)) tokens.push(token);
      return tokens;
    },
  };
}

function shortWords(text: string): string {
  return text.length > MAX_WORD_CHARACTERS ? text.replace(LONG_WORD, '$& ') : text;
}

function vocabularyOf({ model, added_tokens: added = [] }: TokenizerFile): number {
  const vocab = model?.vocab ?? [];
  let highest = -1;
  for (const id of Array.isArray(vocab) ? [vocab.length - 1] : Object.values(vocab)) highest = Math.max(highest, id);
  for (const { id } of added) highest = Math.max(highest, id);
  return highest + 1;
}

function readsWordByWord({
  normalizer,
  pre_tokenizer: before,
  model,
  added_tokens: added = [],
}: TokenizerFile): boolean {
  return (
    normalizer?.type === 'BertNormalizer' &&
    before?.type === 'BertPreTokenizer' &&
    model?.type === 'WordPiece' &&
    !added.some(({ content }) => /\s/.test(content))
  );
}

import { AutoTokenizer, env, LogLevel } from '@huggingface/transformers';

/**
 * The time of WordPiece grows with the cube of a word's length, up to 100 characters, where it gives up on the word: a
 * megabyte of base64 took 50 s. Hardly a word of any language has more than 32 characters. Longer ones are cut there
 * and read in parts.
 */
const LONG_WORD = /[\p{L}\p{M}\p{N}]{32}(?=[\p{L}\p{M}\p{N}])/gu;
const MAX_WORD_CHARACTERS = 32;

export interface Tokenizer {
  /** The token ids of a text, without special tokens. Blanks around the text give no tokens. */
  tokenize: (text: string) => number[];
  /** The special tokens before and after every text, such as [CLS] and [SEP] of BERT. */
  opening: number[];
  closing: number[];
  /** The id of the padding token. */
  padding: number;
}

/** Opens the tokenizer in a model's folder, without a connection. Rejects with the error of transformers.js. */
export async function openTokenizer(folder: string): Promise<Tokenizer> {
  // Only hub-download.ts fetches files, and missing ones are an error.
  env.allowRemoteModels = false;
  env.useFSCache = false;
  env.logLevel = LogLevel.NONE;
  const tokenizer = await AutoTokenizer.from_pretrained(folder, { local_files_only: true });
  const { model } = tokenizer._tokenizerJSON as { model?: { type?: string } };
  const isWordPiece = model?.type === 'WordPiece';
  const tokenize = (text: string): number[] => {
    const trimmed = text.trim();
    if (trimmed === '') return [];
    return tokenizer.encode(isWordPiece ? splitLongWords(trimmed) : trimmed, { add_special_tokens: false });
  };
  const { pad_token_id: padding } = tokenizer;
  return {
    tokenize,
    ...findSpecialTokens(tokenize('a'), tokenizer.encode('a')),
    padding: typeof padding === 'number' ? padding : 0,
  };
}

function splitLongWords(text: string): string {
  return text.length > MAX_WORD_CHARACTERS ? text.replace(LONG_WORD, '$& ') : text;
}

/** Compares the tokens of a text with those that the tokenizer gives by default. */
function findSpecialTokens(bare: number[], all: number[]): Pick<Tokenizer, 'opening' | 'closing'> {
  let start = 0;
  while (start < all.length - bare.length && bare.some((id, at) => all[start + at] !== id)) start += 1;
  return { opening: all.slice(0, start), closing: all.slice(start + bare.length) };
}

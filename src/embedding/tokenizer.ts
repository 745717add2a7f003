import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createUnigram, unigramPieces, Vocabulary } from './vocabulary.js';

export interface Tokenizer {
  /** Adds the special tokens around the text by default. */
  encode(text: string, options?: { add_special_tokens?: boolean }): number[];
  /** Id of the padding token. */
  padding: number;
}

/** The used part of a model's tokenizer.json. */
export interface TokenizerFile {
  normalizer?: { type?: string } | null;
  pre_tokenizer?: { type?: string; prepend_scheme?: string } | null;
  /** The model without `vocab`, which is in `vocabulary`. */
  model?: { type?: string; unk_token?: string; unk_id?: number; continuing_subword_prefix?: string };
  added_tokens?: { id: number; content: string }[];
}

export interface TokenizerRead {
  /** The file without its vocabulary. */
  file: TokenizerFile;
  vocabulary: Vocabulary | undefined;
  /** The scores of a Unigram model, by token id. */
  scores: Float32Array | undefined;
}

/** This pattern cannot match inside a JSON string, where quotation marks are escaped. */
const VOCABULARY = /"vocab"\s*:\s*(\{|\[(?=\s*\[))/g;
const ENTRY = /\s*("(?:[^"\\]|\\.)*")\s*:\s*(\d+)\s*(,|\})/y;
const SCORED = /\s*\[\s*("(?:[^"\\]|\\.)*")\s*,\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*\]\s*(,|\])/y;

/**
 * Reads tokenizer.json, and its vocabulary entry by entry. When it was parsed as one object, the vocabulary of our
 * model left 20 MB of garbage in the heap of a process that has little to do afterwards.
 */
export async function readTokenizerFile(folder: string): Promise<TokenizerRead> {
  const text = await readFile(join(folder, 'tokenizer.json'), 'utf8');
  VOCABULARY.lastIndex = 0;
  const opening = VOCABULARY.exec(text);
  if (!opening) return { file: JSON.parse(text) as TokenizerFile, vocabulary: undefined, scores: undefined };
  const begin = VOCABULARY.lastIndex;
  const isScored = opening[1] === '[';
  const [pattern, close] = isScored ? [SCORED, ']'] : [ENTRY, '}'];
  const scores: number[] = [];
  let end = begin;
  function* entries(): Generator<[string, number]> {
    pattern.lastIndex = begin;
    for (let entry = pattern.exec(text); entry; entry = pattern.exec(text)) {
      const [, key = '', value, next] = entry;
      yield [
        key.includes('\\') ? (JSON.parse(key) as string) : key.slice(1, -1),
        isScored ? scores.push(Number(value)) - 1 : Number(value),
      ];
      end = pattern.lastIndex;
      if (next === close) return;
    }
  }
  const vocabulary = new Vocabulary(entries());
  // Unexpected entries leave invalid JSON here, which is refused.
  const file = JSON.parse(`${text.slice(0, begin)}${close}${text.slice(end)}`) as TokenizerFile;
  return { file, vocabulary, scores: isScored ? Float32Array.from(scores) : undefined };
}

/** The package's own declarations refer to files that TypeScript does not find. */
interface TokenizersPackage {
  Tokenizer: new (
    file: object,
    config: object,
  ) => {
    encode(text: string, options?: { add_special_tokens?: boolean }): { ids: number[] };
    token_to_id(token: string): number | undefined;
    model: {
      tokens_to_ids: Pick<Map<string, number>, 'get' | 'has'>;
      unk_token_id: number | undefined;
      max_input_chars_per_word: number;
      encode: (words: readonly string[]) => string[];
    };
  };
}

/**
 * Opens a tokenizer. Most embedding models, ours included, have the tokenizer of BERT or of XLM-R. These two are opened
 * without the rest of transformers.js, and with their vocabularies in a few arrays: as the objects that the package
 * makes, the vocabulary of XLM-R took 88 MB. Other tokenizers are opened by their classes in transformers.js.
 */
export async function openTokenizer(folder: string, { file, vocabulary, scores }: TokenizerRead): Promise<Tokenizer> {
  const config = readsWordByWord(file) ? await readConfig(folder) : undefined;
  if (config && vocabulary) {
    const bare = (await import('@huggingface/tokenizers')) as unknown as TokenizersPackage;
    const { unk_token: unknown = '', unk_id: unknownId, continuing_subword_prefix: prefix = '##' } = file.model ?? {};
    const few = scores ? { unk_id: 0, vocab: [['', 0]] } : { vocab: { [unknown]: vocabulary.get(unknown) } };
    const tokenizer = new bare.Tokenizer({ ...file, model: { ...file.model, ...few } }, config);
    const { model } = tokenizer;
    model.tokens_to_ids = vocabulary;
    if (scores) {
      const unigram = createUnigram(vocabulary, scores);
      model.unk_token_id = unknownId;
      model.encode = (words) => words.flatMap((word) => unigramPieces(unigram, word));
    } else
      model.encode = (words) =>
        words.flatMap((word) => wordPieces(vocabulary, word, prefix, model.max_input_chars_per_word) ?? unknown);
    const padding = typeof config.pad_token === 'string' ? tokenizer.token_to_id(config.pad_token) : undefined;
    return { encode: (text, options) => tokenizer.encode(text, options).ids, padding: padding ?? 0 };
  }
  const { AutoTokenizer, env, LogLevel } = await import('@huggingface/transformers');
  // Only locate-model.ts fetches files, and missing ones are an error.
  env.allowRemoteModels = false;
  env.useFSCache = false;
  env.logLevel = LogLevel.NONE;
  const tokenizer = await AutoTokenizer.from_pretrained(folder, { local_files_only: true });
  const { pad_token_id: padding } = tokenizer;
  return {
    encode: (text, options) => tokenizer.encode(text, options),
    padding: typeof padding === 'number' ? padding : 0,
  };
}

/**
 * Splits a word into pieces (WordPiece): the longest token that the word begins with, then the longest that the rest
 * begins with, and so on. The package's own function tries every end of every part, and makes a text for each: it took
 * a millisecond for a word of 32 characters. Undefined: the word is unknown.
 */
function wordPieces(vocabulary: Vocabulary, word: string, prefix: string, maxCharacters: number): string[] | undefined {
  if (word.length > maxCharacters && Array.from(word).length > maxCharacters) return undefined;
  const pieces: string[] = [];
  for (let start = 0; start < word.length;) {
    const before = start === 0 ? '' : prefix;
    let end = start;
    vocabulary.eachBeginning(word, start, before, (longer) => (end = longer));
    if (end === start) return undefined;
    pieces.push(before + word.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Whether the tokens of a word, between blanks, do not depend on its neighbours. */
export function readsWordByWord(file: TokenizerFile): boolean {
  return isBert(file) || isXlmRoberta(file);
}

/**
 * Whether the tokenizer is like that of XLM-R: the blank before a word is part of its first piece, and no piece
 * contains a blank elsewhere.
 */
function isXlmRoberta({ pre_tokenizer: before, model, added_tokens: added = [] }: TokenizerFile): boolean {
  return (
    model?.type === 'Unigram' &&
    before?.type === 'Metaspace' &&
    before.prepend_scheme === 'always' &&
    !added.some(({ content }) => /\s/.test(content))
  );
}

export function isBert({ normalizer, pre_tokenizer: before, model, added_tokens: added = [] }: TokenizerFile): boolean {
  return (
    normalizer?.type === 'BertNormalizer' &&
    before?.type === 'BertPreTokenizer' &&
    model?.type === 'WordPiece' &&
    !added.some(({ content }) => /\s/.test(content))
  );
}

async function readConfig(folder: string): Promise<{ pad_token?: unknown } | undefined> {
  const text = await readFile(join(folder, 'tokenizer_config.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as { pad_token?: unknown });
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Vocabulary } from './vocabulary.js';

/** What is asked of a tokenizer. */
export interface Tokenizer {
  /** With the special tokens around the text, unless told otherwise. */
  encode(text: string, options?: { add_special_tokens?: boolean }): number[];
  /** The token that pads. */
  padding: number;
}

/** What is read of a model's tokenizer.json. */
export interface TokenizerFile {
  normalizer?: { type?: string } | null;
  pre_tokenizer?: { type?: string } | null;
  /** `vocab` of Unigram: texts with values, in order. Other kinds have theirs in `vocabulary`. */
  model?: { type?: string; unk_token?: string; continuing_subword_prefix?: string; vocab?: unknown[] };
  added_tokens?: { id: number; content: string }[];
}

export interface TokenizerRead {
  /** Without the vocabulary, where that is an object of numbers by text. */
  file: TokenizerFile;
  vocabulary: Vocabulary | undefined;
}

/** In JSON these characters are nowhere inside a string, whose quotation marks are escaped. */
const VOCABULARY = /"vocab"\s*:\s*\{/g;
const ENTRY = /\s*("(?:[^"\\]|\\.)*")\s*:\s*(\d+)\s*(,|\})/y;

/**
 * Reads tokenizer.json, and its vocabulary entry by entry: parsed as one object, that of our model left 20 MB of
 * garbage in the heap of a process that then has little to do.
 */
export async function readTokenizerFile(folder: string): Promise<TokenizerRead> {
  const text = await readFile(join(folder, 'tokenizer.json'), 'utf8');
  VOCABULARY.lastIndex = 0;
  if (!VOCABULARY.test(text)) return { file: JSON.parse(text) as TokenizerFile, vocabulary: undefined };
  const begin = VOCABULARY.lastIndex;
  let end = begin;
  function* entries(): Generator<[string, number]> {
    ENTRY.lastIndex = begin;
    for (let entry = ENTRY.exec(text); entry; entry = ENTRY.exec(text)) {
      const [, key = '', id, next] = entry;
      yield [key.includes('\\') ? (JSON.parse(key) as string) : key.slice(1, -1), Number(id)];
      end = ENTRY.lastIndex;
      if (next === '}') return;
    }
  }
  const vocabulary = new Vocabulary(entries());
  // Anything else than texts with whole numbers is no JSON after this, and refused.
  return { file: JSON.parse(`${text.slice(0, begin)}}${text.slice(end)}`) as TokenizerFile, vocabulary };
}

/** Its own declarations name files that TypeScript does not find. */
interface TokenizersPackage {
  Tokenizer: new (
    file: object,
    config: object,
  ) => {
    encode(text: string, options?: { add_special_tokens?: boolean }): { ids: number[] };
    token_to_id(token: string): number | undefined;
    model: {
      tokens_to_ids: Pick<Map<string, number>, 'get' | 'has'>;
      max_input_chars_per_word: number;
      encode: (words: readonly string[]) => string[];
    };
  };
}

/**
 * BERT's tokenizer, which most embedding models share, ours included, without the rest of transformers.js, whose file
 * of a megabyte loads onnxruntime too. Other tokenizers have classes of their own there.
 */
export async function openTokenizer(folder: string, { file, vocabulary }: TokenizerRead): Promise<Tokenizer> {
  const config = readsWordByWord(file) ? await readConfig(folder) : undefined;
  if (config && vocabulary) {
    const bare = (await import('@huggingface/tokenizers')) as unknown as TokenizersPackage;
    const { unk_token: unknown = '', continuing_subword_prefix: prefix = '##' } = file.model ?? {};
    const few = { [unknown]: vocabulary.get(unknown) };
    const tokenizer = new bare.Tokenizer({ ...file, model: { ...file.model, vocab: few } }, config);
    const { model } = tokenizer;
    model.tokens_to_ids = vocabulary;
    model.encode = (words) =>
      words.flatMap((word) => wordPieces(vocabulary, word, prefix, model.max_input_chars_per_word) ?? unknown);
    const padding = typeof config.pad_token === 'string' ? tokenizer.token_to_id(config.pad_token) : undefined;
    return { encode: (text, options) => tokenizer.encode(text, options).ids, padding: padding ?? 0 };
  }
  const { AutoTokenizer } = await import('./transformers.js');
  const tokenizer = await AutoTokenizer.from_pretrained(folder, { local_files_only: true });
  const { pad_token_id: padding } = tokenizer;
  return {
    encode: (text, options) => tokenizer.encode(text, options),
    padding: typeof padding === 'number' ? padding : 0,
  };
}

/**
 * WordPiece: the longest token that a word begins with, then that of what is left. The package's own tries every end of
 * every part, with texts of its own: a millisecond for a word of 32 characters. Undefined: the word is unknown.
 */
function wordPieces(vocabulary: Vocabulary, word: string, prefix: string, maxCharacters: number): string[] | undefined {
  if (word.length > maxCharacters && Array.from(word).length > maxCharacters) return undefined;
  const pieces: string[] = [];
  for (let start = 0; start < word.length;) {
    const before = start === 0 ? '' : prefix;
    const end = vocabulary.endOfLongest(word, start, before);
    if (end === start) return undefined;
    pieces.push(before + word.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Number of tokens; every token is below it. */
export function countVocabulary({ file: { model, added_tokens: added = [] }, vocabulary }: TokenizerRead): number {
  return Math.max(vocabulary?.size ?? model?.vocab?.length ?? 0, ...added.map(({ id }) => id + 1));
}

/** The whole words of a vocabulary of words and their continuations, see {@link Vocabulary.words}; else none. */
export function wholeWords({ file, vocabulary }: TokenizerRead): Uint32Array {
  return vocabulary && readsWordByWord(file) ? vocabulary.words : new Uint32Array();
}

/** Whether it reads one word at a time, between blanks, so that the tokens of a word are the same everywhere. */
export function readsWordByWord({
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

async function readConfig(folder: string): Promise<{ pad_token?: unknown } | undefined> {
  const text = await readFile(join(folder, 'tokenizer_config.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as { pad_token?: unknown });
}

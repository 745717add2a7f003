import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

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
  /** `vocab`: the number of a token by its text (WordPiece, BPE), or texts with values in order (Unigram). */
  model?: { type?: string; vocab?: Record<string, number> | unknown[] };
  added_tokens?: { id: number; content: string }[];
}

export async function readTokenizerFile(folder: string): Promise<TokenizerFile> {
  return JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')) as TokenizerFile;
}

/** Its own declarations name files that TypeScript does not find. */
interface TokenizersPackage {
  Tokenizer: new (
    file: object,
    config: object,
  ) => {
    encode(text: string, options?: { add_special_tokens?: boolean }): { ids: number[] };
    token_to_id(token: string): number | undefined;
  };
}

/**
 * BERT's tokenizer, which most embedding models share, ours included, without the rest of transformers.js, whose file
 * of a megabyte loads onnxruntime too. Other tokenizers have classes of their own there.
 */
export async function openTokenizer(folder: string, file: TokenizerFile): Promise<Tokenizer> {
  const config = readsWordByWord(file) ? await readConfig(folder) : undefined;
  if (config) {
    const bare = (await import('@huggingface/tokenizers')) as unknown as TokenizersPackage;
    const tokenizer = new bare.Tokenizer(file, config);
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

/** Number of tokens; every token is below it. */
export function countVocabulary({ model, added_tokens: added = [] }: TokenizerFile): number {
  const vocab = model?.vocab ?? [];
  let highest = -1;
  for (const id of Array.isArray(vocab) ? [vocab.length - 1] : Object.values(vocab)) highest = Math.max(highest, id);
  for (const { id } of added) highest = Math.max(highest, id);
  return highest + 1;
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

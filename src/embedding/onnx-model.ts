import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ModelUnavailable } from './embedder-errors.js';
import { CENTER_FILE, type ModelManifest } from './model-manifest.js';
import { OnnxInference } from './onnx-inference.js';
import { moveFrom } from './pool-vectors.js';
import { openTokenizer, readTokenizerFile, type Tokenizer, type TokenizerRead } from './tokenizer.js';
import { cacheWordTokens, type WordTokens } from './word-tokens.js';

/** What the tokenizer says about the model. Computed once, at load. */
interface Layout {
  /** Max tokens of a text of each kind, without special tokens and prefix. */
  room: { query: number; passage: number };
  /** Special tokens before and after every text, such as [CLS] and [SEP] of BERT. */
  opening: number[];
  closing: number[];
}

/** A model with its tokenizer. Used on the embedding thread only, since inference blocks its thread. */
export class OnnxModel {
  readonly manifest: ModelManifest;
  readonly #words: WordTokens;
  readonly #inference: OnnxInference;
  readonly #layout: Layout;
  readonly #center: Float32Array | undefined;

  private constructor(
    manifest: ModelManifest,
    tokenizer: Tokenizer,
    read: TokenizerRead,
    inference: OnnxInference,
    center: Float32Array | undefined,
  ) {
    this.manifest = manifest;
    this.#center = center;
    this.#words = cacheWordTokens(read.file, tokenizer);
    this.#inference = inference;
    const { opening, closing } = findSpecialTokens(tokenizer);
    const free = (prefix: string) =>
      manifest.maximumTokens - opening.length - closing.length - this.countTokens(prefix);
    this.#layout = {
      room: { query: free(manifest.prefixes.query), passage: free(manifest.prefixes.passage) },
      opening,
      closing,
    };
    if (Math.min(this.#layout.room.query, this.#layout.room.passage) < 4) {
      throw new ModelUnavailable(
        `The model "${manifest.id}" leaves no room for text: prefixes use up its ${manifest.maximumTokens} tokens.`,
      );
    }
  }

  /** Throws ModelUnavailable when transformers.js or onnxruntime refuse the files. `folder` is absolute. */
  static async open(folder: string, manifest: ModelManifest, intraOpThreads: number): Promise<OnnxModel> {
    try {
      const read = await readTokenizerFile(folder);
      const tokenizer = await openTokenizer(folder, read);
      const inference = await OnnxInference.open(folder, manifest, intraOpThreads, tokenizer.padding);
      return new OnnxModel(manifest, tokenizer, read, inference, await readCenter(folder, manifest));
    } catch (cause) {
      if (cause instanceof ModelUnavailable) throw cause;
      throw new ModelUnavailable(`The model in ${folder} cannot be loaded: ${String(cause)}`, { cause });
    }
  }

  /** Max tokens of a passage, without special tokens and prefix. */
  get passageRoom(): number {
    return this.#layout.room.passage;
  }

  /** Without special tokens. */
  countTokens(text: string): number {
    return this.#words.tokenize(text).length;
  }

  /** Rejects with the error of the tokenizer or the session, or when the vector holds NaN or infinity. */
  async embed(kind: 'query' | 'passage', text: string): Promise<Float32Array> {
    const embedded = await this.#inference.embed(this.#row(kind, text));
    const vector = this.#center ? moveFrom(this.#center, embedded) : embedded;
    // Not `every`: a function call for each number takes ten times as long.
    for (const value of vector) {
      if (!Number.isFinite(value)) throw new Error('The model gave a vector that is not made of numbers.');
    }
    return vector;
  }

  async dispose(): Promise<void> {
    await this.#inference.dispose();
  }

  #row(kind: 'query' | 'passage', text: string): readonly number[] {
    const { maximumTokens, prefixes } = this.manifest;
    // Tokens are shorter than this on average, so only text beyond the limit is cut. A query of a megabyte must not
    // keep the thread for seconds.
    const bounded = text.length > maximumTokens * 64 ? text.trimStart().slice(0, maximumTokens * 64) : text;
    const tokens = this.#words.tokenize(prefixes[kind] + bounded);
    const { opening, closing } = this.#layout;
    const room = maximumTokens - opening.length - closing.length;
    const fitting = tokens.length > room ? tokens.slice(0, room) : tokens;
    return opening.length + closing.length === 0 ? fitting : [...opening, ...fitting, ...closing];
  }
}

async function readCenter(folder: string, { files }: ModelManifest): Promise<Float32Array | undefined> {
  if (!(CENTER_FILE in files)) return undefined;
  const { buffer, byteOffset, byteLength } = await readFile(join(folder, CENTER_FILE));
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

/** The special tokens that the tokenizer puts around every text. */
function findSpecialTokens(tokenizer: Tokenizer): { opening: number[]; closing: number[] } {
  const bare = tokenizer.encode('a', { add_special_tokens: false });
  const all = tokenizer.encode('a');
  let from = 0;
  while (from < all.length - bare.length && bare.some((id, at) => all[from + at] !== id)) from += 1;
  return { opening: all.slice(0, from), closing: all.slice(from + bare.length) };
}

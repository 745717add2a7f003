import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as Runtime from 'onnxruntime-node';
import { ModelUnavailable } from './embedder-errors.js';
import { CENTER_FILE, MODEL_FILES, type ModelManifest } from './model-manifest.js';
import { moveFrom, poolVector } from './pool-vectors.js';
import { openTokenizer, readTokenizerFile, type Tokenizer, type TokenizerRead } from './tokenizer.js';
import { cacheWordTokens, type WordTokens } from './word-tokens.js';

/** The runtime is loaded as its calls are made: a thread that ends meanwhile aborts the process, too. */
let ort: typeof Runtime;

/** Makes a call of onnxruntime. */
export type NativeCall = <Result>(call: () => Promise<Result>) => Promise<Result>;

/** The layout of the model's input, which follows from the tokenizer and the manifest. It is computed once, at load. */
interface Layout {
  /** Max tokens of a text of each kind, without special tokens and prefix. */
  room: { query: number; passage: number };
  /** Special tokens before and after every text, such as [CLS] and [SEP] of BERT. */
  opening: number[];
  closing: number[];
}

/**
 * A session of onnxruntime with its tokenizer. It is used on an embedding thread only, since inference blocks its
 * thread. It takes one text at a time: for a transformer on a CPU, batches gain nothing
 * (docs/evidence/decisions/0092-threads-for-pages.md).
 */
export class OnnxModel {
  readonly manifest: ModelManifest;
  readonly #words: WordTokens;
  readonly #session: Runtime.InferenceSession;
  /** The token of an empty text. */
  readonly #padding: number;
  readonly #layout: Layout;
  readonly #center: Float32Array | undefined;
  readonly #native: NativeCall;

  private constructor(
    manifest: ModelManifest,
    tokenizer: Tokenizer,
    read: TokenizerRead,
    session: Runtime.InferenceSession,
    center: Float32Array | undefined,
    native: NativeCall,
  ) {
    this.manifest = manifest;
    this.#native = native;
    this.#center = center;
    this.#words = cacheWordTokens(read.file, tokenizer);
    this.#session = session;
    this.#padding = tokenizer.padding;
    const { opening, closing } = findSpecialTokens(tokenizer);
    const free = (prefix: string) =>
      manifest.maximumTokens - opening.length - closing.length - this.countTokens(prefix);
    this.#layout = {
      room: { query: free(manifest.prefixes.query), passage: free(manifest.prefixes.passage) },
      opening,
      closing,
    };
    if (Math.min(this.#layout.room.query, this.#layout.room.passage) < 4)
      throw new ModelUnavailable(
        `The model "${manifest.id}" leaves no room for text: prefixes use up its ${manifest.maximumTokens} tokens.`,
      );
  }

  /**
   * Throws ModelUnavailable when transformers.js or onnxruntime refuse the files. `folder` is absolute. `native` makes
   * the calls of onnxruntime.
   */
  static async open(
    folder: string,
    manifest: ModelManifest,
    native: NativeCall = (call) => call(),
    intraOpThreads = 1,
  ): Promise<OnnxModel> {
    try {
      const read = await readTokenizerFile(folder);
      const tokenizer = await openTokenizer(folder, read);
      const session = await native(async () => {
        ort = await import('onnxruntime-node');
        return openSession(join(folder, MODEL_FILES[manifest.dtype]), intraOpThreads);
      });
      return new OnnxModel(manifest, tokenizer, read, session, await readCenter(folder, manifest), native);
    } catch (cause) {
      if (cause instanceof ModelUnavailable) throw cause;
      throw new ModelUnavailable(`The model in ${folder} cannot be loaded: ${String(cause)}`, { cause });
    }
  }

  /** Max tokens of a chunk, without special tokens and prefix. */
  get chunkRoom(): number {
    return this.#layout.room.passage;
  }

  /** Counts the tokens of a text, without special tokens. */
  countTokens(text: string): number {
    return this.#words.tokenize(text).length;
  }

  /** Rejects with the error of the tokenizer or the session, or when the vector holds NaN or infinity. */
  async embed(kind: 'query' | 'passage', text: string): Promise<Float32Array> {
    const embedded = await this.#infer(this.#row(kind, text));
    const vector = this.#center ? moveFrom(this.#center, embedded) : embedded;
    // This loop replaces `every`, where a function call for each number takes ten times as long.
    for (const value of vector)
      if (!Number.isFinite(value)) throw new Error('The model gave a vector that is not made of numbers.');
    return vector;
  }

  /** Turns tokens into a vector. Rejects with the error of the session. */
  async #infer(tokens: readonly number[]): Promise<Float32Array> {
    const { pooling, normalize } = this.manifest;
    const empty = tokens.length === 0;
    const ids = BigInt64Array.from(empty ? [this.#padding] : tokens, (token) => BigInt(token));
    const shape = [1, ids.length];
    const inputs: Record<string, Runtime.Tensor> = {
      input_ids: new ort.Tensor('int64', ids, shape),
      attention_mask: new ort.Tensor('int64', new BigInt64Array(ids.length).fill(empty ? 0n : 1n), shape),
      token_type_ids: new ort.Tensor('int64', new BigInt64Array(ids.length), shape),
    };
    // Not every model takes all three inputs.
    const feeds = this.#session.inputNames.flatMap((name) => (inputs[name] ? [[name, inputs[name]] as const] : []));
    const tensors = Object.values(inputs);
    try {
      const outputs = await this.#native(() => this.#session.run(Object.fromEntries(feeds)));
      tensors.push(...Object.values(outputs));
      const state = outputs['last_hidden_state'] ?? outputs['token_embeddings'];
      if (!state || !(state.data instanceof Float32Array) || state.dims.length !== 3)
        throw new ModelUnavailable(
          `The model "${this.manifest.id}" has no float32 last_hidden_state of [texts, tokens, dimensions]; it gives ` +
            `${Object.keys(outputs).join(', ')}.`,
        );
      return poolVector(state.data, tokens.length, state.dims[2] ?? 0, pooling, normalize);
    } finally {
      // Without this call, tensors grew a service to 13 GB (https://github.com/tenex-chat/tenex/issues/93).
      for (const tensor of tensors) tensor.dispose();
    }
  }

  async dispose(): Promise<void> {
    await this.#native(() => this.#session.release());
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

function openSession(file: string, intraOpThreads: number): Promise<Runtime.InferenceSession> {
  return ort.InferenceSession.create(file, {
    intraOpNumThreads: intraOpThreads,
    interOpNumThreads: 1,
    // The arena keeps the memory of the largest input so far, which the max number of tokens bounds. Without it
    // memory is paged in again for every layer: a tenth to a fifth of the time of a transformer. Patterns are kept
    // per shape, and there are many shapes: https://github.com/microsoft/onnxruntime/issues/11627
    enableMemPattern: false,
    enableCpuMemArena: true,
    logSeverityLevel: 4,
  });
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

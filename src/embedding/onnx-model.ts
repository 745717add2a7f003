import { AutoModel, AutoTokenizer, env, LogLevel, Tensor } from '@huggingface/transformers';
import type { PreTrainedModel, PreTrainedTokenizer } from '@huggingface/transformers';
import { ModelUnavailable } from './errors.js';
import type { ModelManifest } from './model-manifest.js';
import { poolVectors } from './pool-vectors.js';
import type { Batch } from './pool-vectors.js';
import { ReadContent } from './read-content.js';
import { isBlank, rememberWords, type WordTokens } from './word-tokens.js';

/** What the tokenizer says of the model: all of it is counted once, at load. */
interface Layout {
  /** Tokens left for a text of each kind, special tokens and prefix taken off. */
  room: { query: number; passage: number };
  padding: number;
  /** The special tokens before and after every text (BERT's [CLS] and [SEP]), if there are any. */
  opening: number[];
  closing: number[];
}

/** A session and its tokenizer. Only ever used on the embedding thread: `run` blocks the thread it is called on. */
export class OnnxModel {
  readonly manifest: ModelManifest;
  readonly #words: WordTokens;
  readonly #model: PreTrainedModel;
  readonly #layout: Layout;

  private constructor(manifest: ModelManifest, tokenizer: PreTrainedTokenizer, words: WordTokens, model: PreTrainedModel) {
    this.manifest = manifest;
    this.#words = words;
    this.#model = model;
    const { opening, closing } = specialTokens(tokenizer);
    const free = (prefix: string) => manifest.maximumTokens - opening.length - closing.length - this.countTokens(prefix);
    this.#layout = {
      room: { query: free(manifest.prefixes.query), passage: free(manifest.prefixes.passage) },
      padding: typeof tokenizer.pad_token_id === 'number' ? tokenizer.pad_token_id : 0,
      opening,
      closing,
    };
    if (Math.min(this.#layout.room.query, this.#layout.room.passage) < 4) {
      throw new ModelUnavailable(
        `The model "${manifest.id}" leaves no room for text: prefixes use up its ${manifest.maximumTokens} tokens.`,
      );
    }
  }

  /** Throws ModelUnavailable where transformers.js or onnxruntime refuse the files. `folder` is absolute. */
  static async open(folder: string, manifest: ModelManifest, intraOpThreads: number): Promise<OnnxModel> {
    // Whatever is missing is an error: nothing is ever fetched from here (hub-download.ts does that).
    env.allowRemoteModels = false;
    env.useFSCache = false;
    env.logLevel = LogLevel.NONE;
    try {
      const options = { local_files_only: true };
      const tokenizer = await AutoTokenizer.from_pretrained(folder, options);
      const model = await AutoModel.from_pretrained(folder, {
        ...options,
        device: 'cpu',
        dtype: manifest.dtype,
        session_options: {
          intraOpNumThreads: intraOpThreads,
          interOpNumThreads: 1,
          // The arena keeps the memory of the largest batch ever seen, which the batches' size bounds (see
          // WorkLanes); without it every layer's pages are faulted in anew, a tenth to a fifth of a transformer's
          // time. Patterns are kept per shape, and shapes are many: https://github.com/microsoft/onnxruntime/issues/11627
          enableMemPattern: false,
          enableCpuMemArena: true,
          logSeverityLevel: 4,
        },
      });
      return new OnnxModel(manifest, tokenizer, await rememberWords(folder, tokenizer), model);
    } catch (cause) {
      if (cause instanceof ModelUnavailable) throw cause;
      throw new ModelUnavailable(`The model in ${folder} cannot be loaded: ${String(cause)}`, { cause });
    }
  }

  /** Tokens that fit beside the special tokens and the passage prefix. */
  get passageRoom(): number {
    return this.#layout.room.passage;
  }

  /** Without special tokens. */
  countTokens(text: string): number {
    return this.#words.tokenize(text).length;
  }

  /** A page's content, to be counted and embedded piece by piece. */
  read(content: string): ReadContent {
    return new ReadContent(content, this.#words);
  }

  /** What a passage of a content that was read is for the model: its tokens with what belongs around them. */
  passageRow(read: ReadContent, start: number, end: number): readonly number[] {
    const { passage: prefix } = this.manifest.prefixes;
    const apart = prefix === '' || (this.#words.wordByWord && isBlank(prefix.charCodeAt(prefix.length - 1)));
    if (!apart) return this.#row('passage', read.text(start, end));
    return this.#framed(prefix === '' ? read.tokens(start, end) : [...this.#words.tokenize(prefix), ...read.tokens(start, end)]);
  }

  /** One vector per text, in order. Rejects with whatever the tokenizer or the session throws. */
  async embed(kind: 'query' | 'passage', texts: readonly string[]): Promise<Float32Array[]> {
    return this.embedRows(texts.map((text) => this.#row(kind, text)));
  }

  /** One vector per row of tokens, in order. Rejects with whatever the session throws. */
  async embedRows(rows: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const batch = this.#batchOf(rows);
    const shape = [batch.rows, batch.width];
    const inputs = {
      input_ids: new Tensor('int64', batch.ids, shape),
      attention_mask: new Tensor('int64', batch.mask, shape),
      token_type_ids: new Tensor('int64', new BigInt64Array(batch.ids.length), shape),
    };
    const tensors: Tensor[] = Object.values(inputs);
    try {
      const outputs = (await this.#model(inputs)) as Record<string, unknown>;
      tensors.push(...Object.values(outputs).filter((each) => each instanceof Tensor));
      const state = outputs['last_hidden_state'] ?? outputs['token_embeddings'];
      if (!(state instanceof Tensor) || !(state.data instanceof Float32Array) || state.dims.length !== 3) {
        throw new ModelUnavailable(
          `The model "${this.manifest.id}" has no float32 last_hidden_state of [texts, tokens, dimensions]; it gives `
          + `${Object.keys(outputs).join(', ')}.`,
        );
      }
      const { pooling, normalize } = this.manifest;
      return poolVectors(state.data, batch, state.dims[2] ?? 0, pooling, normalize);
    } finally {
      // Left to the garbage collector, tensors grew a service to 13 GB (https://github.com/tenex-chat/tenex/issues/93).
      for (const tensor of tensors) tensor.dispose();
    }
  }

  async dispose(): Promise<void> {
    await this.#model.dispose();
  }

  #row(kind: 'query' | 'passage', text: string): readonly number[] {
    const { maximumTokens, prefixes } = this.manifest;
    // No token is longer than this on average, so what is cut here would be cut below: a query of a megabyte must not
    // keep the thread for seconds.
    const bounded = text.length > maximumTokens * 64 ? text.trimStart().slice(0, maximumTokens * 64) : text;
    return this.#framed(this.#words.tokenize(prefixes[kind] + bounded));
  }

  #framed(tokens: readonly number[]): readonly number[] {
    const { opening, closing } = this.#layout;
    const room = this.manifest.maximumTokens - opening.length - closing.length;
    const fitting = tokens.length > room ? tokens.slice(0, room) : tokens;
    return opening.length + closing.length === 0 ? fitting : [...opening, ...fitting, ...closing];
  }

  #batchOf(rows: readonly (readonly number[])[]): Batch {
    // A model without special tokens makes nothing of an empty text; a row of padding only has no vector.
    const width = Math.max(1, ...rows.map((row) => row.length));
    const ids = new BigInt64Array(rows.length * width);
    const mask = new BigInt64Array(rows.length * width);
    // As halves of 32 bits, the low one first (every machine that onnxruntime has a build for is little-endian): a
    // BigInt for each token took as long as looking the token up in a static model.
    const [low, lowMask] = [new Int32Array(ids.buffer), new Int32Array(mask.buffer)];
    rows.forEach((row, index) => {
      const offset = index * width;
      for (let at = 0; at < width; at += 1) {
        low[2 * (offset + at)] = row[at] ?? this.#layout.padding;
        if (at < row.length) lowMask[2 * (offset + at)] = 1;
      }
    });
    return { rows: rows.length, width, ids, mask };
  }
}

/** What the tokenizer puts around every text. */
function specialTokens(tokenizer: PreTrainedTokenizer): { opening: number[]; closing: number[] } {
  const bare = tokenizer.encode('a', { add_special_tokens: false });
  const all = tokenizer.encode('a');
  let from = 0;
  while (from < all.length - bare.length && bare.some((id, at) => all[from + at] !== id)) from += 1;
  return { opening: all.slice(0, from), closing: all.slice(from + bare.length) };
}

import { AutoModel, AutoTokenizer, env, LogLevel, Tensor } from '@huggingface/transformers';
import type { PreTrainedModel, PreTrainedTokenizer } from '@huggingface/transformers';
import { ModelUnavailable } from './errors.js';
import type { ModelManifest } from './model-manifest.js';
import { poolVectors } from './pool-vectors.js';
import type { Batch } from './pool-vectors.js';

/**
 * WordPiece's time grows with the cube of a word's length up to 100, beyond which it gives up on the word: a megabyte
 * of base64 took 50 s. Hardly a word of any language is longer than 32 characters; cut there, the rest is read too.
 */
const LONG_WORD = /[\p{L}\p{M}\p{N}]{32}(?=[\p{L}\p{M}\p{N}])/gu;

/** What the tokenizer says of the model: all of it is counted once, at load. */
interface Layout {
  /** Tokens left for a text of each kind, special tokens and prefix taken off. */
  room: { query: number; passage: number };
  padding: bigint;
  /** The token that closes every text (BERT's [SEP]), if there is one. */
  closing: number | undefined;
}

/** A session and its tokenizer. Only ever used on the embedding thread: `run` blocks the thread it is called on. */
export class OnnxModel {
  readonly manifest: ModelManifest;
  readonly #tokenizer: PreTrainedTokenizer;
  readonly #model: PreTrainedModel;
  readonly #layout: Layout;

  private constructor(manifest: ModelManifest, tokenizer: PreTrainedTokenizer, model: PreTrainedModel) {
    this.manifest = manifest;
    this.#tokenizer = tokenizer;
    this.#model = model;
    const special = tokenizer.encode('');
    const free = (prefix: string) => manifest.maximumTokens - special.length - this.countTokens(prefix);
    this.#layout = {
      room: { query: free(manifest.prefixes.query), passage: free(manifest.prefixes.passage) },
      padding: BigInt(typeof tokenizer.pad_token_id === 'number' ? tokenizer.pad_token_id : 0),
      closing: special.length > 1 ? special.at(-1) : undefined,
    };
    if (Math.min(free(manifest.prefixes.query), free(manifest.prefixes.passage)) < 4) {
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
          // Both keep the memory of the largest batch ever seen: https://github.com/microsoft/onnxruntime/issues/11627
          enableMemPattern: false,
          enableCpuMemArena: false,
          logSeverityLevel: 4,
        },
      });
      return new OnnxModel(manifest, tokenizer, model);
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
    if (text === '') return 0;
    return this.#tokenizer.encode(text.replace(LONG_WORD, '$& '), { add_special_tokens: false }).length;
  }

  /** One vector per text, in order. Rejects with whatever the tokenizer or the session throws. */
  async embed(kind: 'query' | 'passage', texts: readonly string[]): Promise<Float32Array[]> {
    const batch = this.#batchOf(texts.map((text) => this.#encode(kind, text)));
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

  #encode(kind: 'query' | 'passage', text: string): number[] {
    const { maximumTokens, prefixes } = this.manifest;
    // No token is longer than this on average, so what is cut here would be cut below: a query of a megabyte must not
    // keep the thread for seconds.
    const bounded = text.length > maximumTokens * 64 ? text.trimStart().slice(0, maximumTokens * 64) : text;
    const ids = this.#tokenizer.encode(prefixes[kind] + bounded.replace(LONG_WORD, '$& '));
    if (ids.length <= maximumTokens) return ids;
    const { closing } = this.#layout;
    return closing === undefined ? ids.slice(0, maximumTokens) : [...ids.slice(0, maximumTokens - 1), closing];
  }

  #batchOf(rows: number[][]): Batch {
    // A model without special tokens makes nothing of an empty text; a row of padding only has no vector.
    const width = Math.max(1, ...rows.map((row) => row.length));
    const ids = new BigInt64Array(rows.length * width).fill(this.#layout.padding);
    const mask = new BigInt64Array(rows.length * width);
    rows.forEach((row, index) => {
      row.forEach((id, at) => {
        ids[index * width + at] = BigInt(id);
        mask[index * width + at] = 1n;
      });
    });
    return { rows: rows.length, width, ids, mask };
  }
}

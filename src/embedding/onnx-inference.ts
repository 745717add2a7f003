import { AutoModel, Tensor } from '@huggingface/transformers';
import type { PreTrainedModel } from '@huggingface/transformers';
import { ModelUnavailable } from './embedder-errors.js';
import type { ModelManifest } from './model-manifest.js';
import { poolVector } from './pool-vectors.js';

/** Makes vectors of tokens. */
export interface Inference {
  /** The vector of a text's tokens. Rejects with whatever the session throws. */
  embed(tokens: readonly number[]): Promise<Float32Array>;
  dispose(): Promise<void>;
}

/** What a model makes of each token: one after the other, so many numbers each. */
export interface TokenStates {
  data: Float32Array;
  dimensions: number;
}

/**
 * A session of onnxruntime, which blocks the thread it is called on. One text at a time: for a transformer on a CPU,
 * batches gain nothing (docs/decisions/0062-one-passage-at-a-time.md).
 */
export class OnnxInference implements Inference {
  readonly #manifest: ModelManifest;
  readonly #model: PreTrainedModel;
  /** Stands where a text has no token. */
  readonly #padding: number;

  private constructor(manifest: ModelManifest, model: PreTrainedModel, padding: number) {
    this.#manifest = manifest;
    this.#model = model;
    this.#padding = padding;
  }

  static async open(
    folder: string,
    manifest: ModelManifest,
    intraOpThreads: number,
    padding: number,
  ): Promise<OnnxInference> {
    const model = await AutoModel.from_pretrained(folder, {
      local_files_only: true,
      device: 'cpu',
      dtype: manifest.dtype,
      session_options: {
        intraOpNumThreads: intraOpThreads,
        interOpNumThreads: 1,
        // The arena keeps the memory of the largest batch ever seen, which the model's maximum of tokens bounds;
        // without it every layer's pages are faulted in anew, a tenth to a fifth of a transformer's
        // time. Patterns are kept per shape, and shapes are many: https://github.com/microsoft/onnxruntime/issues/11627
        enableMemPattern: false,
        enableCpuMemArena: true,
        logSeverityLevel: 4,
      },
    });
    return new OnnxInference(manifest, model, padding);
  }

  async embed(tokens: readonly number[]): Promise<Float32Array> {
    const { pooling, normalize } = this.#manifest;
    return this.readStates(tokens, ({ data, dimensions }) =>
      poolVector(data, tokens.length, dimensions, pooling, normalize),
    );
  }

  /** Runs the model on some tokens and reads its last hidden state, which is gone afterwards. */
  async readStates<T>(tokens: readonly number[], read: (states: TokenStates) => T): Promise<T> {
    const empty = tokens.length === 0;
    const ids = BigInt64Array.from(empty ? [this.#padding] : tokens, (token) => BigInt(token));
    const shape = [1, ids.length];
    const inputs = {
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(empty ? 0n : 1n), shape),
      token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
    };
    const tensors: Tensor[] = Object.values(inputs);
    try {
      const outputs = (await this.#model(inputs)) as Record<string, unknown>;
      tensors.push(...Object.values(outputs).filter((each) => each instanceof Tensor));
      const state = outputs['last_hidden_state'] ?? outputs['token_embeddings'];
      if (!(state instanceof Tensor) || !(state.data instanceof Float32Array) || state.dims.length !== 3) {
        throw new ModelUnavailable(
          `The model "${this.#manifest.id}" has no float32 last_hidden_state of [texts, tokens, dimensions]; it gives ` +
            `${Object.keys(outputs).join(', ')}.`,
        );
      }
      return read({ data: state.data, dimensions: state.dims[2] ?? 0 });
    } finally {
      // Left to the garbage collector, tensors grew a service to 13 GB (https://github.com/tenex-chat/tenex/issues/93).
      for (const tensor of tensors) tensor.dispose();
    }
  }

  async dispose(): Promise<void> {
    await this.#model.dispose();
  }
}

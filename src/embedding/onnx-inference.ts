import type { PreTrainedModel } from '@huggingface/transformers';
import { AutoModel, Tensor } from './transformers.js';
import { ModelUnavailable } from './embedder-errors.js';
import type { ModelManifest } from './model-manifest.js';
import { poolVector } from './pool-vectors.js';

/** Turns tokens into a vector. */
export interface Inference {
  /** Rejects with the error of the session. */
  embed(tokens: readonly number[]): Promise<Float32Array>;
  dispose(): Promise<void>;
}

/** The hidden states of the tokens, one after the other, `dimensions` numbers each. */
export interface TokenStates {
  data: Float32Array;
  dimensions: number;
}

/**
 * A session of onnxruntime. It blocks its thread. It takes one text at a time: for a transformer on a CPU, batches gain
 * nothing (docs/decisions/0062-one-passage-at-a-time.md).
 */
export class OnnxInference implements Inference {
  readonly #manifest: ModelManifest;
  readonly #model: PreTrainedModel;
  /** The token of an empty text. */
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
        // The arena keeps the memory of the largest input so far, which the max number of tokens bounds. Without it
        // memory is paged in again for every layer: a tenth to a fifth of the time of a transformer. Patterns are kept
        // per shape, and there are many shapes: https://github.com/microsoft/onnxruntime/issues/11627
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

  /** Runs the model and reads its last hidden state. The state is freed afterwards. */
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
      // Without this, tensors grew a service to 13 GB (https://github.com/tenex-chat/tenex/issues/93).
      for (const tensor of tensors) tensor.dispose();
    }
  }

  async dispose(): Promise<void> {
    await this.#model.dispose();
  }
}

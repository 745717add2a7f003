import { AutoModel, Tensor } from '@huggingface/transformers';
import type { PreTrainedModel } from '@huggingface/transformers';
import { ModelUnavailable } from './errors.js';
import type { ModelManifest } from './model-manifest.js';
import { poolVectors, type Batch } from './pool-vectors.js';

/** Makes vectors of tokens. */
export interface Inference {
  /** One vector per row of tokens, in order. Rejects with whatever the session throws. */
  embed(rows: readonly (readonly number[])[]): Promise<Float32Array[]>;
  dispose(): Promise<void>;
}

/** What a model makes of each token: row by row, token by token, so many numbers each. */
export interface TokenStates {
  data: Float32Array;
  dimensions: number;
}

/** A session of onnxruntime. `run` blocks the thread it is called on. */
export class OnnxInference implements Inference {
  readonly #manifest: ModelManifest;
  readonly #model: PreTrainedModel;
  /** The token that fills up rows. */
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
        // The arena keeps the memory of the largest batch ever seen, which the batches' size bounds (see
        // WorkLanes); without it every layer's pages are faulted in anew, a tenth to a fifth of a transformer's
        // time. Patterns are kept per shape, and shapes are many: https://github.com/microsoft/onnxruntime/issues/11627
        enableMemPattern: false,
        enableCpuMemArena: true,
        logSeverityLevel: 4,
      },
    });
    return new OnnxInference(manifest, model, padding);
  }

  async embed(rows: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const batch = this.#batchOf(rows);
    const { pooling, normalize } = this.#manifest;
    return this.#run(batch, ({ data, dimensions }) => poolVectors(data, batch, dimensions, pooling, normalize));
  }

  /** What `read` makes of each token's state, in rows of one length; the states are gone afterwards. */
  async readStates<T>(rows: readonly (readonly number[])[], read: (states: TokenStates) => T): Promise<T> {
    return this.#run(this.#batchOf(rows), read);
  }

  async dispose(): Promise<void> {
    await this.#model.dispose();
  }

  /** Runs the model and reads its last hidden state, which is gone afterwards. */
  async #run<T>(batch: Batch, read: (states: TokenStates) => T): Promise<T> {
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
        low[2 * (offset + at)] = row[at] ?? this.#padding;
        if (at < row.length) lowMask[2 * (offset + at)] = 1;
      }
    });
    return { rows: rows.length, width, ids, mask };
  }
}

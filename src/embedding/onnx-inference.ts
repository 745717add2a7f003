import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { ModelUnavailable } from './embedder-errors.js';
import { MODEL_FILES, type ModelManifest } from './model-manifest.js';
import { poolVector } from './pool-vectors.js';

/**
 * A session of onnxruntime. It blocks its thread. It takes one text at a time: for a transformer on a CPU, batches gain
 * nothing (docs/decisions/0062-one-passage-at-a-time.md).
 */
export class OnnxInference {
  readonly #manifest: ModelManifest;
  readonly #session: InferenceSession;
  /** The token of an empty text. */
  readonly #padding: number;

  private constructor(manifest: ModelManifest, session: InferenceSession, padding: number) {
    this.#manifest = manifest;
    this.#session = session;
    this.#padding = padding;
  }

  static async open(
    folder: string,
    manifest: ModelManifest,
    intraOpThreads: number,
    padding: number,
  ): Promise<OnnxInference> {
    const session = await InferenceSession.create(join(folder, MODEL_FILES[manifest.dtype]), {
      intraOpNumThreads: intraOpThreads,
      interOpNumThreads: 1,
      // The arena keeps the memory of the largest input so far, which the max number of tokens bounds. Without it
      // memory is paged in again for every layer: a tenth to a fifth of the time of a transformer. Patterns are kept
      // per shape, and there are many shapes: https://github.com/microsoft/onnxruntime/issues/11627
      enableMemPattern: false,
      enableCpuMemArena: true,
      logSeverityLevel: 4,
    });
    return new OnnxInference(manifest, session, padding);
  }

  /** Turns tokens into a vector. Rejects with the error of the session. */
  async embed(tokens: readonly number[]): Promise<Float32Array> {
    const { pooling, normalize } = this.#manifest;
    const empty = tokens.length === 0;
    const ids = BigInt64Array.from(empty ? [this.#padding] : tokens, (token) => BigInt(token));
    const shape = [1, ids.length];
    const inputs: Record<string, Tensor> = {
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(empty ? 0n : 1n), shape),
      token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
    };
    // Not every model takes all.
    const feeds = this.#session.inputNames.flatMap((name) => (inputs[name] ? [[name, inputs[name]] as const] : []));
    const tensors = Object.values(inputs);
    try {
      const outputs = await this.#session.run(Object.fromEntries(feeds));
      tensors.push(...Object.values(outputs));
      const state = outputs['last_hidden_state'] ?? outputs['token_embeddings'];
      if (!state || !(state.data instanceof Float32Array) || state.dims.length !== 3) {
        throw new ModelUnavailable(
          `The model "${this.#manifest.id}" has no float32 last_hidden_state of [texts, tokens, dimensions]; it gives ` +
            `${Object.keys(outputs).join(', ')}.`,
        );
      }
      return poolVector(state.data, tokens.length, state.dims[2] ?? 0, pooling, normalize);
    } finally {
      // Without this, tensors grew a service to 13 GB (https://github.com/tenex-chat/tenex/issues/93).
      for (const tensor of tensors) tensor.dispose();
    }
  }

  async dispose(): Promise<void> {
    await this.#session.release();
  }
}

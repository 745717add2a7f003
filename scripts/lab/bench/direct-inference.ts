/**
 * The floor of embedding: transformers.js's tokenizer and onnxruntime called on their own, with nothing of ours
 * between.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { AutoTokenizer } from '@huggingface/transformers';
import { disableTelemetry } from '#src/embedding/onnx-embedder.js';
import { poolVector } from '#src/embedding/pool-vectors.js';

interface OrtTensor {
  data: unknown;
  dims: readonly number[];
  dispose(): void;
}
interface OrtSession {
  run(feeds: Record<string, OrtTensor>): Promise<Record<string, OrtTensor>>;
}
interface Ort {
  InferenceSession: { create(path: string, options: object): Promise<OrtSession> };
  Tensor: new (type: string, data: BigInt64Array, dims: readonly number[]) => OrtTensor;
}

export interface DirectInference {
  tokenize(text: string): number[];
  /** Mean-pooled vectors of rows of tokens, in batches of `size` rows of about one length. */
  embed(rows: readonly (readonly number[])[], size: number): Promise<Float32Array[]>;
}

const MAX_TOKENS = 200;

/** onnxruntime with its own settings but for the threads. */
export async function openDirectly(folder: string, threads: number): Promise<DirectInference> {
  disableTelemetry();
  // The very build that transformers.js runs on.
  const { InferenceSession, Tensor } = createRequire(import.meta.resolve('@huggingface/transformers'))(
    'onnxruntime-node',
  ) as Ort;
  const quantized = join(folder, 'onnx', 'model_quantized.onnx');
  const session = await InferenceSession.create(
    existsSync(quantized) ? quantized : join(folder, 'onnx', 'model.onnx'),
    {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
    },
  );
  const tokenizer = await AutoTokenizer.from_pretrained(folder, { local_files_only: true });

  async function infer(rows: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const width = Math.max(...rows.map((row) => row.length));
    const ids = new BigInt64Array(rows.length * width);
    const mask = new BigInt64Array(rows.length * width);
    rows.forEach((row, index) => {
      row.forEach((id, at) => {
        ids[index * width + at] = BigInt(id);
        mask[index * width + at] = 1n;
      });
    });
    const tensor = (data: BigInt64Array): OrtTensor => new Tensor('int64', data, [rows.length, width]);
    const feeds = {
      input_ids: tensor(ids),
      attention_mask: tensor(mask),
      token_type_ids: tensor(new BigInt64Array(ids.length)),
    };
    const { last_hidden_state: state } = await session.run(feeds);
    if (!state) throw new Error('no last_hidden_state');
    const dimensions = state.dims[2] ?? 0;
    const states = state.data as Float32Array;
    // Padding comes last.
    const vectors = rows.map((row, index) =>
      poolVector(states.subarray(index * width * dimensions), row.length, dimensions, 'mean', true),
    );
    state.dispose();
    return vectors;
  }

  return {
    tokenize: (text) => tokenizer.encode(text).slice(0, MAX_TOKENS),
    embed: async (rows, size) => {
      const sorted = [...rows].sort((a, b) => a.length - b.length);
      const vectors: Float32Array[] = [];
      for (let from = 0; from < sorted.length; from += size)
        vectors.push(...(await infer(sorted.slice(from, from + size))));
      return vectors;
    },
  };
}

import type { Inference } from './onnx-inference.js';
import { toUnitLength } from './pool-vectors.js';

/** The vectors of a static model: token t is `numbers[t * dimensions + i] * scales[t]`. */
export interface TokenTable {
  dimensions: number;
  numbers: Int8Array;
  scales: Float32Array;
}

/** A static model without session: the mean of its tokens, normalized where the model says so. */
export function createTableInference(table: TokenTable, normalize: boolean): Inference {
  return {
    embed: (tokens) => {
      const vector = computeMean(table, tokens);
      return Promise.resolve(normalize ? toUnitLength(vector) : vector);
    },
    dispose: () => Promise.resolve(),
  };
}

/** Two tokens in each step: 29 µs for a passage of 155 tokens; 43 µs one by one, 25 by fours. */
function computeMean({ numbers, scales, dimensions }: TokenTable, tokens: readonly number[]): Float32Array {
  const sums = new Float64Array(dimensions);
  for (let at = 0; at < tokens.length; at += 2) {
    const [t, u] = [tokens[at] as number, tokens[at + 1] ?? 0];
    const [a, b] = [t * dimensions, u * dimensions];
    const [x, y] = [scales[t] as number, at + 1 < tokens.length ? (scales[u] as number) : 0];
    for (let i = 0; i < dimensions; i += 1) {
      sums[i] = (sums[i] as number) + (numbers[a + i] as number) * x + (numbers[b + i] as number) * y;
    }
  }
  const mean = new Float32Array(dimensions);
  if (tokens.length > 0) for (let i = 0; i < dimensions; i += 1) mean[i] = (sums[i] as number) / tokens.length;
  return mean;
}

import type { Pooling } from './model-manifest.js';

/** A batch as the model sees it: `rows` texts of `width` tokens, padded; `mask` holds 1 for tokens that count. */
export interface Batch {
  rows: number;
  width: number;
  ids: BigInt64Array;
  mask: BigInt64Array;
}

/**
 * One vector per row out of the model's last hidden state (row by row, token by token). Padding never counts.
 * A vector without length stays zeros: it is similar to nothing, where a division would make it NaN.
 */
export function poolVectors(
  state: Float32Array, batch: Batch, dimensions: number, pooling: Pooling, normalize: boolean,
): Float32Array[] {
  const vectors: Float32Array[] = [];
  for (let row = 0; row < batch.rows; row += 1) {
    const vector = new Float32Array(dimensions).fill(pooling === 'max' ? -Infinity : 0);
    let counted = 0;
    for (let token = row * batch.width; token < (row + 1) * batch.width; token += 1) {
      if (batch.mask[token] === 0n || (pooling === 'cls' && counted > 0)) continue;
      counted += 1;
      const offset = token * dimensions;
      if (pooling === 'max') {
        for (let i = 0; i < dimensions; i += 1) vector[i] = Math.max(vector[i] ?? 0, state[offset + i] ?? 0);
      } else {
        for (let i = 0; i < dimensions; i += 1) vector[i] = (vector[i] ?? 0) + (state[offset + i] ?? 0);
      }
    }
    if (counted === 0) vector.fill(0);
    if (normalize) divide(vector, length(vector));
    else if (pooling === 'mean') divide(vector, counted);
    vectors.push(vector);
  }
  return vectors;
}

function length(vector: Float32Array): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Math.sqrt(sum);
}

function divide(vector: Float32Array, divisor: number): void {
  if (divisor === 0) return;
  for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) / divisor;
}

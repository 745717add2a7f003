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
  state: Float32Array,
  batch: Batch,
  dimensions: number,
  pooling: Pooling,
  normalize: boolean,
): Float32Array[] {
  const vectors: Float32Array[] = [];
  // The low halves: a comparison of BigInts for each token is slower.
  const counts = new Int32Array(batch.mask.buffer, batch.mask.byteOffset, 2 * batch.mask.length);
  for (let row = 0; row < batch.rows; row += 1) {
    let offsets: number[] = [];
    for (let token = row * batch.width; token < (row + 1) * batch.width; token += 1) {
      if (counts[2 * token] !== 0) offsets.push(token * dimensions);
    }
    if (pooling === 'cls') offsets = offsets.slice(0, 1);
    const vector = pooling === 'max' ? largest(state, offsets, dimensions) : sum(state, offsets, dimensions);
    if (normalize) toUnitLength(vector);
    else if (pooling === 'mean') divide(vector, offsets.length);
    vectors.push(vector);
  }
  return vectors;
}

/** In place. A vector without length stays as it is. */
export function toUnitLength(vector: Float32Array): Float32Array {
  divide(vector, length(vector));
  return vector;
}

/** Four tokens a turn: one by one, writing the sums back and forth took twice as long. */
function sum(state: Float32Array, offsets: readonly number[], dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  let at = 0;
  for (; at + 4 <= offsets.length; at += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = [offsets[at], offsets[at + 1], offsets[at + 2], offsets[at + 3]];
    for (let i = 0; i < dimensions; i += 1) {
      vector[i] =
        (vector[i] as number) +
        (state[a + i] as number) +
        (state[b + i] as number) +
        (state[c + i] as number) +
        (state[d + i] as number);
    }
  }
  for (; at < offsets.length; at += 1) {
    const a = offsets[at] ?? 0;
    for (let i = 0; i < dimensions; i += 1) vector[i] = (vector[i] as number) + (state[a + i] as number);
  }
  return vector;
}

function largest(state: Float32Array, offsets: readonly number[], dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions).fill(offsets.length === 0 ? 0 : -Infinity);
  for (const offset of offsets) {
    for (let i = 0; i < dimensions; i += 1) vector[i] = Math.max(vector[i] ?? 0, state[offset + i] ?? 0);
  }
  return vector;
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

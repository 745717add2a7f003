import type { Pooling } from './model-manifest.js';

/**
 * Pools the last hidden states of the tokens into the vector of a text. A zero vector stays zero: it is similar to
 * nothing, and a division would make it NaN.
 */
export function poolVector(
  state: Float32Array,
  tokens: number,
  dimensions: number,
  pooling: Pooling,
  normalize: boolean,
): Float32Array {
  const counted = pooling === 'cls' ? Math.min(1, tokens) : tokens;
  if (counted === 0) return new Float32Array(dimensions);
  const vector = state.slice(0, dimensions);
  for (let at = dimensions; at < counted * dimensions; at += dimensions)
    if (pooling === 'max') keepLargest(vector, state, at);
    else add(vector, state, at);
  if (normalize) return toUnitLength(vector);
  return pooling === 'mean' ? divide(vector, counted) : vector;
}

function add(vector: Float32Array, state: Float32Array, at: number): void {
  for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] as number) + (state[at + i] as number);
}

function keepLargest(vector: Float32Array, state: Float32Array, at: number): void {
  for (let i = 0; i < vector.length; i += 1) vector[i] = Math.max(vector[i] as number, state[at + i] as number);
}

/** Normalizes in place. A zero vector stays. */
export function toUnitLength(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return squares === 0 ? vector : divide(vector, Math.sqrt(squares));
}

/**
 * Subtracts `center` from a vector and normalizes it, in place. Cosines of some models lie in a narrow band, since all
 * their vectors share a direction: those of multilingual-e5-small lie between .75 and .95. With nine tenths of the mean
 * of many texts subtracted they spread, and questions in other languages find their page more often (.38/.57 in place
 * of .34/.55, relevance.md).
 */
export function moveFrom(center: Float32Array, vector: Float32Array): Float32Array {
  for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] as number) - (center[i] as number);
  return toUnitLength(vector);
}

function divide(vector: Float32Array, divisor: number): Float32Array {
  for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] as number) / divisor;
  return vector;
}

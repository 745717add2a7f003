import type { Inference, TokenStates } from './onnx-inference.js';
import { toUnitLength } from './pool-vectors.js';

/** The vectors of a static model: token t is `numbers[t * dimensions + i] * scales[t]`. */
export interface TokenTable {
  dimensions: number;
  numbers: Int8Array;
  scales: Float32Array;
}

/** Reads the hidden states of some tokens. */
export type ReadStates = <T>(tokens: readonly number[], read: (states: TokenStates) => T) => Promise<T>;

/** Tokens that are read together. The process keeps the memory that the allocator took for reading. */
const BATCH_TOKENS = 512;

/** Tokens of the longer test text of `isStatic`. */
const SAMPLE_TOKENS = 32;
const MAX_INT8 = 127;

/**
 * Reads the token table of a static model out of its session, once. In a static model the vector of a token is the same
 * in every text. The test: tokens spread over the vocabulary have exactly the same vectors in one text and in another
 * of half the length and the reverse order. Undefined when the model is not static, or when its rows are not 8-bit
 * numbers times one scale for each row: a table of floats would be four times as large.
 *
 * Through the session a passage takes several times as long: it writes and copies the numbers of every token of the
 * batch, padding included, before it adds them up (docs/decisions/0060-token-table.md).
 */
export async function readTokenTable(
  readStates: ReadStates,
  vocabulary: number,
  maximumTokens: number,
): Promise<TokenTable | undefined> {
  if (!(await isStatic(readStates, vocabulary, Math.min(SAMPLE_TOKENS, maximumTokens)))) return undefined;
  let table: TokenTable | undefined;
  for (let from = 0; from < vocabulary; from += BATCH_TOKENS) {
    const to = Math.min(vocabulary, from + BATCH_TOKENS);
    const kept = await readStates(
      range(to - from, (at) => from + at),
      (states) => {
        const { dimensions } = states;
        table ??= { dimensions, numbers: new Int8Array(vocabulary * dimensions), scales: new Float32Array(vocabulary) };
        for (let token = from; token < to; token += 1) if (!storeRow(table, token, states, token - from)) return false;
        return true;
      },
    );
    if (!kept) return undefined;
  }
  return table;
}

async function isStatic(readStates: ReadStates, vocabulary: number, width: number): Promise<boolean> {
  const tokens = range(width, (at) => Math.floor((at * vocabulary) / width));
  const { data, dimensions } = await readStates(tokens, (states) => ({ ...states, data: states.data.slice() }));
  const places = range(Math.ceil(width / 2), (at) => 2 * at).toReversed();
  return readStates(
    places.map((place) => tokens[place] as number),
    (other) =>
      places.every((place, at) => {
        for (let i = 0; i < dimensions; i += 1)
          if (data[place * dimensions + i] !== other.data[at * dimensions + i]) return false;
        return true;
      }),
  );
}

/** Stores the row of a token. False when 8-bit numbers cannot represent it. */
function storeRow(
  { numbers, scales, dimensions }: TokenTable,
  token: number,
  { data }: TokenStates,
  at: number,
): boolean {
  const [from, to] = [at * dimensions, token * dimensions];
  let largest = 0;
  for (let i = 0; i < dimensions; i += 1) largest = Math.max(largest, Math.abs(data[from + i] as number));
  // A quantized row uses the whole range of 8 bits.
  const scale = Math.fround(largest / MAX_INT8);
  const steps = scale === 0 ? 0 : 1 / scale;
  // The scale comes from a rounded product, so it is exact to the last places of a float only.
  const tolerance = largest * 1e-6;
  scales[token] = scale;
  for (let i = 0; i < dimensions; i += 1) {
    const value = data[from + i] as number;
    const number = Math.floor(value * steps + 0.5);
    const error = number * scale - value;
    if (!(error <= tolerance && error >= -tolerance)) return false;
    numbers[to + i] = number;
  }
  return true;
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

function range(length: number, value: (at: number) => number): number[] {
  return Array.from({ length }, (_, at) => value(at));
}

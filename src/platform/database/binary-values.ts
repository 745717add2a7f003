import { sql, type Sql } from './sql.js';

/** Vectors in the format of `halfvec` of pgvector, which keeps 16 bits of each number. */

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

const INFINITY = 0x7c00;

/**
 * Writes a vector in the binary format of `halfvec_recv`: the number of dimensions, 16 zero bits, and 16 bits for each
 * number, the high byte first (src/halfvec.c of pgvector). Neither side formats or parses decimals.
 */
export function toHalfBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(4 + 2 * vector.length);
  bytes[0] = vector.length >>> 8;
  bytes[1] = vector.length & 0xff;
  bytes[2] = 0;
  bytes[3] = 0;
  for (let i = 0, at = 4; i < vector.length; i += 1, at += 2) {
    // PostgreSQL refuses a number that is too large.
    const half = toHalf(vector[i] as number) ?? INFINITY;
    bytes[at] = half >>> 8;
    bytes[at + 1] = half & 0xff;
  }
  return bytes;
}

/** The bits of the nearest half-precision number, ties to even (IEEE 754). Undefined when the value is too large. */
function toHalf(value: number): number | undefined {
  float[0] = value;
  const all = bits[0] ?? 0;
  const sign = (all >>> 16) & 0x8000;
  const magnitude = all & 0x7fffffff;
  // 65520 and above round to infinity.
  if (magnitude >= 0x477ff000) return undefined;
  // Below 2^-14, halves are whole multiples of 2^-24. A product with a power of two is exact.
  if (magnitude < 0x38800000) return sign | roundToEven(Math.abs(value) * 0x1000000);
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
  return sign | ((rounded - 0x38000000) >>> 13);
}

function roundToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}

/**
 * Arrays as parameters in PostgreSQL's binary format (`array_send` of src/backend/utils/adt/arrayfuncs.c): neither side
 * quotes texts or parses numbers. pg sends a Buffer as it is. Lengths and counts are 32-bit, high byte first.
 */

/** The oid of `text`, which is the same in every database. The oids of an extension's types differ. */
const TEXT = 25;

/** The header has five integers: dimensions (one), flag for nulls, oid of elements, length and first index. */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/**
 * Writes an array of elements.
 * @param write writes an element at an offset and returns where it ends.
 * @param bytes is the sum of all elements' lengths.
 */
function binaryArray<Element>(
  oid: number,
  elements: readonly Element[],
  bytes: number,
  write: (buffer: Buffer, element: Element, at: number) => number,
): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + LENGTH_BYTES * elements.length + bytes);
  let at = buffer.writeInt32BE(1, 0);
  at = buffer.writeInt32BE(0, at);
  at = buffer.writeUInt32BE(oid, at);
  at = buffer.writeInt32BE(elements.length, at);
  at = buffer.writeInt32BE(1, at);
  for (const element of elements) {
    const end = write(buffer, element, at + LENGTH_BYTES);
    buffer.writeInt32BE(end - at - LENGTH_BYTES, at);
    at = end;
  }
  return buffer;
}

/** A parameter `text[]`. */
export function textArray(texts: readonly string[]): Buffer {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return binaryArray(TEXT, texts, bytes, (buffer, text, at) => at + buffer.write(text, at));
}

/** A parameter that is an array of a type whose elements are given in its binary format. */
export function arrayOf(oid: number, elements: readonly Buffer[]): Buffer {
  let bytes = 0;
  for (const element of elements) bytes += element.length;
  return binaryArray(oid, elements, bytes, (buffer, element, at) => at + element.copy(buffer, at));
}

/** Ends an `insert … select`: else Citus stores its rows by COPY, which row level security refuses to a tenant. */
export const returningInsteadOfCopy: Sql = sql`returning project_id`;

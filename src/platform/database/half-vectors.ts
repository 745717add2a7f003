/** Vectors in the format of `halfvec` of pgvector, which keeps 16 bits of each number. */

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

const INFINITY = 0x7c00;

/**
 * In the binary format of `halfvec_recv`: the number of dimensions, 16 zero bits, and 16 bits
 * for each number, the high byte first (src/halfvec.c of pgvector). Neither side formats or parses decimals.
 */
export function toHalfBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(4 + 2 * vector.length);
  bytes[0] = vector.length >>> 8;
  bytes[1] = vector.length & 0xff;
  bytes[2] = 0;
  bytes[3] = 0;
  for (let i = 0, at = 4; i < vector.length; i += 1, at += 2) {
    // Too large: PostgreSQL refuses it.
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

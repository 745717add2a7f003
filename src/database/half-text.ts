/**
 * Vectors as text for pgvector's `halfvec`, which keeps 16 bits of each number: written as the number that will be
 * kept, they are a third as long as with every digit of a double, and no conversion of numbers is left to do.
 */

/** The text of each of the 65,536 numbers, made when it is first wanted. */
const texts: (string | undefined)[] = [];
const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

export function toHalfText(vector: Float32Array): string {
  let text = '[';
  for (let i = 0; i < vector.length; i += 1) {
    const value = vector[i] ?? 0;
    const half = toHalf(value);
    if (i > 0) text += ',';
    // What is too large is left to PostgreSQL to refuse.
    text += half === undefined ? String(value) : (texts[half] ??= String(Number(fromHalf(half).toPrecision(5))));
  }
  return `${text}]`;
}

/** The bits of the nearest half-precision number, ties to even (IEEE 754); undefined where there is none. */
function toHalf(value: number): number | undefined {
  float[0] = value;
  const all = bits[0] ?? 0;
  const sign = (all >>> 16) & 0x8000;
  const magnitude = all & 0x7fffffff;
  // 65520 and above round to infinity.
  if (magnitude >= 0x477ff000) return undefined;
  // Below 2^-14 halves are whole multiples of 2^-24, and a product with a power of two is exact.
  if (magnitude < 0x38800000) return sign | roundToEven(Math.abs(value) * 0x1000000);
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
  return sign | ((rounded - 0x38000000) >>> 13);
}

function roundToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}

function fromHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

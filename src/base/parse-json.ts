/** Integers in JSON text that a double may not hold. A match inside a JSON string does no harm. */
const LONG_INTEGERS = /(?<=[[:,\s])-?\d{16,}(?![\d.eE])/g;

/** For parsed values with such integers: the JSON text, replaced by the lost integers when they are first asked for. */
const known = new WeakMap<object, string | Set<number>>();

/** JSON.parse. It silently rounds integers beyond 2^53; {@link lostIntegers} lists those. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && text.search(LONG_INTEGERS) >= 0) known.set(value, text);
  return value;
}

/**
 * The numbers in a result of {@link parseJson} that differ from the integers in its text, and would come back with
 * other digits: 1152921504606847000 is how JavaScript writes 2^60, and is kept.
 */
export function lostIntegers(parsed: object): Set<number> {
  const text = known.get(parsed) ?? '';
  if (typeof text !== 'string') return text;
  const lost = new Set<number>();
  for (const [digits] of text.matchAll(LONG_INTEGERS)) {
    const value = Number(digits);
    // Infinite numbers are refused elsewhere.
    if (Number.isFinite(value) && String(value) !== digits && BigInt(value) !== BigInt(digits)) lost.add(value);
  }
  known.set(parsed, lost);
  return lost;
}

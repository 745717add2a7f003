/** Whole numbers that a double may not hold, as they stand in JSON; one in a text is found too, and does no harm. */
const LONG_INTEGERS = /(?<=[[:,\s])-?\d{16,}(?![\d.eE])/g;

/** The text of what was parsed, where it has such numbers; once somebody asked, which of them lost digits. */
const known = new WeakMap<object, string | Set<number>>();

/** JSON.parse, which changes whole numbers beyond 2^53 in silence; {@link lostIntegers} tells of which. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && text.search(LONG_INTEGERS) >= 0) known.set(value, text);
  return value;
}

/** The numbers in what {@link parseJson} returned that stand for others in its text. */
export function lostIntegers(parsed: object): Set<number> {
  const text = known.get(parsed) ?? '';
  if (typeof text !== 'string') return text;
  const lost = new Set<number>();
  for (const [digits] of text.matchAll(LONG_INTEGERS)) {
    const value = Number(digits);
    // More digits than any double has are refused as infinite.
    if (Number.isFinite(value) && BigInt(value) !== BigInt(digits)) lost.add(value);
  }
  known.set(parsed, lost);
  return lost;
}

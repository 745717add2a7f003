/** This finds integers in JSON text that a double may not hold. A match inside a JSON string does no harm. */
const LONG_INTEGERS = /(?<=[[:,\s])-?\d{16,}(?![\d.eE])/g;

/** Parsed values with such integers keep their JSON text, until the lost integers are computed from it. */
const known = new WeakMap<object, string | Set<number>>();

/** Parses JSON. JSON.parse silently rounds integers beyond 2^53; {@link lostIntegers} lists those. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && text.search(LONG_INTEGERS) >= 0) known.set(value, text);
  return value;
}

/**
 * Lists the numbers in a result of {@link parseJson} that differ from the integers in its text, and would come back
 * with other digits: 1152921504606847000 is how JavaScript writes 2^60, and is kept.
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

/**
 * Nested text (TOML, JSON) that people send may have so many levels. Parsers call themselves for each level: with
 * a few thousand the stack ends, and a regular expression that V8 compiles there ends the process. Real files have ten.
 */
export const MAX_LEVELS = 100;

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_BRACE, CLOSE_BRACE] = [...'"\\[]{}'].map((sign) => sign.charCodeAt(0));

/** Tells whether JSON nests deeper than `max`, before a million brackets occupy JSON.parse for a second. */
export function nestsDeeper(json: Buffer, max: number): boolean {
  // Nearly every body has fewer brackets in all, and needs no loop over its bytes.
  if (!holdsMore(json, max)) return false;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (quoted) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) {
      quoted = true;
    } else if (byte === OPEN || byte === OPEN_BRACE) {
      if (++depth > max) return true;
    } else if (byte === CLOSE || byte === CLOSE_BRACE) {
      depth--;
    }
  }
  return false;
}

function holdsMore(json: Buffer, max: number): boolean {
  if (json.length <= max) return false;
  let left = max;
  for (const sign of ['[', '{'])
    for (let at = json.indexOf(sign); at !== -1; at = json.indexOf(sign, at + 1)) if (--left < 0) return true;
  return false;
}

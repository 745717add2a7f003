/** The length of the UTF-8 sequence that begins with this byte; 0 if none does. */
function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/** Decodes the valid UTF-8 in a run of `%XX`; other bytes stay encoded. */
function decodeRun(run: string): string {
  const bytes = run
    .slice(1)
    .split('%')
    .map((hex) => Number.parseInt(hex, 16));
  let decoded = '';
  for (let i = 0; i < bytes.length;) {
    const length = sequenceLength(bytes[i] ?? 0);
    const tail = bytes.slice(i + 1, i + length);
    const whole = length > 0 && tail.length === length - 1 && tail.every((byte) => byte >= 0x80 && byte <= 0xbf);
    const literal = run.slice(3 * i, 3 * (i + (whole ? length : 1)));
    decoded += whole ? decodeOrKeep(literal) : literal;
    i += whole ? length : 1;
  }
  return decoded;
}

/** Overlong forms and encoded surrogates pass {@link sequenceLength}; decodeURIComponent refuses them. */
function decodeOrKeep(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/**
 * Percent-decodes a text repeatedly, because copied links are often encoded twice. At most three rounds: deeper nesting
 * is an attack. Never throws.
 */
export function decodePercent(text: string, rounds = 3): string {
  let decoded = text;
  for (let round = 0; round < rounds; round++) {
    const next = decoded.replace(/(?:%[0-9a-f]{2})+/gi, decodeRun);
    if (next === decoded) break;
    decoded = next;
  }
  return decoded;
}

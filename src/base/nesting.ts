/**
 * Nested text (YAML, TOML, JSON) that people send may have so many levels. Parsers call themselves for each level: with
 * a few thousand the stack ends, and a regular expression that V8 compiles there ends the process. Real files have ten.
 */
export const MAX_LEVELS = 100;

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_BRACE, CLOSE_BRACE] = [...'"\\[]{}'].map((sign) => sign.charCodeAt(0));

/**
 * Whether JSON nests arrays and objects more than `max` levels deep. Checked before it is parsed: a million brackets
 * occupy JSON.parse, and then the garbage collector, for a second each.
 */
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
  for (const sign of ['[', '{']) {
    for (let at = json.indexOf(sign); at !== -1; at = json.indexOf(sign, at + 1)) if (--left < 0) return true;
  }
  return false;
}

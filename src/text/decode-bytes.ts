/** Bytes in none of the encodings that they were said to be in; the message says where they stop being UTF-8. */
export class Undecodable extends Error {
  constructor(bytes: Uint8Array) {
    super(`it is not UTF-8 from byte ${invalidFrom(bytes)} on, and names no other encoding that it is in`);
  }
}

/** The encoding that a byte order mark names. */
export function encodingOfMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

/** The text without its byte order mark; undefined where there is no such encoding, or the bytes are not in it. */
export function decodeAs(bytes: Uint8Array, label: string): string | undefined {
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    // Of one piece alone, Node 20 reads windows-1252 as Latin-1: its quotes and dashes become control characters.
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch {
    return undefined;
  }
}

/** How many bytes are UTF-8, from the first on. */
function invalidFrom(bytes: Uint8Array): number {
  let valid = 0;
  for (let step = 2 ** Math.ceil(Math.log2(bytes.length + 1)); step >= 1; step /= 2) {
    if (valid + step <= bytes.length && isUtf8(bytes.subarray(0, valid + step))) valid += step;
  }
  return valid;
}

/** As far as it goes: a character may be cut off at its end. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

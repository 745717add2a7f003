import { decodePercent } from './path-segments.js';

/** `%252520` and `%20` are one: nesting of the sign itself, of any depth, costs one replacement. */
const NESTED_SIGNS = /%(?:25)+/g;

const latin1 = new TextDecoder('windows-1252');

function decodeToTheEnd(text: string): string {
  for (let decoded = text; ;) {
    const next = decodePercent(decoded.replace(NESTED_SIGNS, '%'), 1);
    if (next === decoded) return decoded;
    decoded = next;
  }
}

/**
 * One text for every spelling of one path: without site, query string and fragment; percent-encoding of any octet
 * decoded, nested to any depth; in lower case and composed (NFC); without doubled, leading and trailing slashes and
 * dot segments, and without blanks around a segment, which links pick up. It tells more paths apart than a key of rules
 * does: `/a-b` and `/a_b`, `/a` and `/a.html` are two.
 */
export function canonicalPath(raw: string): string {
  const line = raw.replace(/[\t\n\r]/g, '').trim();
  const end = line.search(/[?#]/);
  const path = decodeToTheEnd(end < 0 ? line : line.slice(0, end))
    // Bytes that are not UTF-8 are those of old pages in Latin letters.
    .replace(/%([89a-f][0-9a-f])/gi, (_, hex: string) => latin1.decode(Buffer.from(hex, 'hex')))
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  const segments: string[] = [];
  for (const written of path.split(/[/\\]/)) {
    const segment = written.trim();
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  // Composed letters may have another lower case, and lower case other compositions.
  return `/${segments.join('/')}`.normalize('NFC').toLowerCase().normalize('NFC');
}

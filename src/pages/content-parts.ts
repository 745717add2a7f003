/**
 * Characters that are embedded at once: a fifth of a second of a small model. Between two parts of a long page come the pages
 * of others that wait.
 */
const MOST_CHARACTERS = 25_000;

/** Where a content is best cut. */
const BORDERS = ['\n\n', '\n', '. ', ' '];

/** A content in parts that are embedded one after the other; most pages are one. */
export function* partsOf(content: string, most = MOST_CHARACTERS): Generator<{ start: number; text: string }> {
  for (let start = 0; start < content.length || start === 0; ) {
    const rest = content.slice(start, start + most);
    const text = start + most >= content.length ? rest : rest.slice(0, endOf(rest));
    yield { start, text };
    start += Math.max(1, text.length);
  }
}

/** The last good place in the second half; else anywhere but inside a surrogate pair. */
function endOf(text: string): number {
  for (const border of BORDERS) {
    const at = text.lastIndexOf(border);
    if (at >= text.length / 2) return at + border.length;
  }
  return /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
}

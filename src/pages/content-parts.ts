import { wholeCut } from '../text/cut-text.js';

/**
 * Characters that are embedded at once: a fifth of a second of a small model. Between two parts of a long page come the
 * pages of others that wait.
 */
const MAX_CHARACTERS = 25_000;

/** Where a content is best cut. */
const BORDERS = ['\n\n', '\n', '. ', ' '];

/** What is embedded next of a content: from `start` on, to its end or to a good place to cut it. */
export function cutPart(content: string, start: number, max = MAX_CHARACTERS): string {
  const rest = content.slice(start, wholeCut(content, start + max));
  return start + max >= content.length ? rest : rest.slice(0, Math.max(1, endOf(rest)));
}

/** The last good place in the second half; else its end. */
function endOf(text: string): number {
  for (const border of BORDERS) {
    const at = text.lastIndexOf(border);
    if (at >= text.length / 2) return at + border.length;
  }
  return text.length;
}

import { findSafeCut } from '../../text/cut-text.js';

/**
 * Characters that are embedded at once: a small model takes a fifth of a second. Other waiting pages are embedded
 * between two parts of a long page.
 */
const MAX_CHARACTERS = 25_000;

/** Where to cut, best first. */
const BORDERS = ['\n\n', '\n', '. ', ' '];

/** The part that begins at `start` and ends at a good place to cut. */
export function cutPart(content: string, start: number, max = MAX_CHARACTERS): string {
  const rest = content.slice(start, findSafeCut(content, start + max));
  return start + max >= content.length ? rest : rest.slice(0, Math.max(1, endOf(rest)));
}

/** The last good place to cut in the second half; else the end. */
function endOf(text: string): number {
  for (const border of BORDERS) {
    const at = text.lastIndexOf(border);
    if (at >= text.length / 2) return at + border.length;
  }
  return text.length;
}

import { contentTokens } from './content-words.js';
import { stem } from './stem.js';

/** Pages of 21 sites have 8 on average. What follows on longer ones is mostly lists. */
const MAX_HEADINGS = 80;
const MAX_CHARACTERS = 80;

const HASHES = /^#{1,6}\s+/;
const SENTENCE_END = /[.!?。！？:;,…]["')\]]*$/;

/**
 * The headings of a content but its first line: short lines between blank ones that end no sentence, as importers
 * write them, and lines of Markdown's hashes. One heading a line, as its distinct words without endings. Takes time
 * linear in the content's length.
 */
export function readHeadings(content: string): string {
  const headings: string[] = [];
  let [before, line, isFirst] = ['', '', true];
  const read = (after: string): void => {
    if (line === '') return;
    const isHeading = !isFirst && (HASHES.test(line) || (before === '' && after === ''));
    isFirst = false;
    const text = isHeading ? line.replace(HASHES, '') : '';
    if (text === '' || text.length > MAX_CHARACTERS || SENTENCE_END.test(text)) return;
    const words = new Set(Array.from(contentTokens(text), stem));
    if (words.size > 0) headings.push([...words].join(' '));
  };
  for (const next of content.split('\n')) {
    const after = next.trim();
    read(after);
    if (headings.length === MAX_HEADINGS) return headings.join('\n');
    [before, line] = [line, after];
  }
  read('');
  return headings.join('\n');
}

import { Parser } from 'htmlparser2';
import type { SourceItem } from '../source.js';

const NO_TEXT = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'nav', 'button', 'form']);
const BLOCKS = new Set(
  (
    'address article aside blockquote body br dd details div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 ' +
    'header hr html li main ol p pre section summary table tbody thead tr ul'
  ).split(' '),
);
const CELLS = new Set(['td', 'th']);

/**
 * The text of HTML without scripts, styles and navigation: blocks on separate lines, a table row on one line.
 * `firstHeading`: the first h1.
 * @throws UnreadableHtml
 */
export function htmlText(html: string): { text: string; firstHeading: string | undefined } {
  let text = '';
  let firstHeading: string | undefined;
  let headingFrom: number | undefined;
  let silent = 0;
  let verbatim = 0;
  let open = 0;
  const parser = new Parser(
    {
      onopentag: (name) => {
        checkLevels(open++);
        if (NO_TEXT.has(name)) silent++;
        else if (name === 'pre') verbatim++;
        if (BLOCKS.has(name)) text += name === 'li' || name === 'br' || name === 'tr' ? '\n' : '\n\n';
        if (name === 'h1') headingFrom ??= text.length;
      },
      ontext: (piece) => {
        if (silent === 0) text += verbatim > 0 ? piece : piece.replace(/\s+/g, ' ');
      },
      onclosetag: (name) => {
        open--;
        if (NO_TEXT.has(name)) silent = Math.max(0, silent - 1);
        else if (name === 'pre') verbatim = Math.max(0, verbatim - 1);
        if (name === 'h1' && headingFrom !== undefined) firstHeading ??= text.slice(headingFrom).trim();
        if (CELLS.has(name)) text += ' ';
        else if (BLOCKS.has(name) && name !== 'br') text += name === 'li' || name === 'tr' ? '\n' : '\n\n';
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.end(html);
  return { text: tidyText(text), firstHeading: firstHeading === '' ? undefined : firstHeading };
}

/** Removes trailing spaces and repeated empty lines. */
export function tidyText(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd().replace(/^ (?! )/, ''));
  return lines
    .filter((line, at) => line !== '' || (lines[at - 1] ?? '') !== '')
    .join('\n')
    .trim();
}

/** As in Blink, so that no visible page needs more. The parser's work grows with it. */
const MAX_LEVELS = 512;

/** The message is the reason. */
export class UnreadableHtml extends Error {}

/** @param open number of open elements. @throws UnreadableHtml at {@link MAX_LEVELS} */
export function checkLevels(open: number): void {
  if (open >= MAX_LEVELS) throw new UnreadableHtml(`its elements are nested more than ${MAX_LEVELS} levels deep`);
}

/** The items of a page; a refusal if its HTML is unreadable. */
export function* itemsOrRefusal(where: string, items: Iterable<SourceItem>): Generator<SourceItem> {
  try {
    yield* items;
  } catch (error) {
    if (!(error instanceof UnreadableHtml)) throw error;
    yield { kind: 'refused', where, reason: error.message };
  }
}

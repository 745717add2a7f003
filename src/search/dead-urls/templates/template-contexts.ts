import { QuoteType, Tokenizer } from 'htmlparser2';
import { OperatorError } from '../../../base/errors.js';
import { styleSource } from '../not-found-page.js';
import type { Piece } from './template.js';

/** What stands for the url of a page while a template is checked. */
export const SAMPLE_URL = 'url';

/** Attributes that hold text for people: nothing in them is run or loaded. */
const TEXT_ATTRIBUTES = /^(?:title|alt|value|placeholder|label|aria-label|aria-description|data-[\w-]{1,60})$/;

/**
 * Checks that every value stands where escaped text stays text: between elements, in a quoted attribute that holds
 * text, or, for the url of a page, as the whole of an `href`. Anywhere else (a script, a style sheet, another
 * attribute, a comment) a title or the path that a visitor asked for could do more than be read.
 * @param pieces of a page with sample values
 * @param styles gets the sources that allow the page's style elements, for a Content-Security-Policy
 * @throws OperatorError
 */
export function checkContexts(pieces: readonly Piece[], name: string, styles: Set<string>): void {
  const html = pieces.map(({ text }) => text).join('');
  const safe: [number, number][] = [];
  let element = '';
  let attribute = '';
  let value: [number, number] | undefined;
  let style = '';
  const fail = (at: number, reason: string): never => {
    throw new OperatorError(`${name}:${lineAt(pieces, at)}: ${reason}.`);
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname: (start, end) => {
        element = html.slice(start, end).toLowerCase();
        if (element === 'script') fail(start, 'no script runs on this page: leave <script> out');
      },
      onattribname: (start, end) => {
        attribute = html.slice(start, end).toLowerCase();
        value = undefined;
      },
      onattribdata: (start, end) => {
        value = [value?.[0] ?? start, end];
      },
      onattribend: (quote) => {
        if (!value || (quote !== QuoteType.Double && quote !== QuoteType.Single)) return;
        const isWholeUrl = attribute === 'href' && html.slice(...value) === SAMPLE_URL;
        if (isWholeUrl || TEXT_ATTRIBUTES.test(attribute)) safe.push(value);
      },
      ontext: (start, end) => {
        if (element === 'style') style += html.slice(start, end);
        else safe.push([start, end]);
      },
      onclosetag: () => {
        if (element === 'style') styles.add(styleSource(style));
        style = element = '';
      },
      onattribentity: () => undefined,
      oncdata: () => undefined,
      oncomment: () => undefined,
      ondeclaration: () => undefined,
      onend: () => undefined,
      onopentagend: () => undefined,
      onprocessinginstruction: () => undefined,
      onselfclosingtag: () => undefined,
      ontextentity: () => undefined,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  let at = 0;
  let next = 0;
  for (const { text, placeholder } of pieces) {
    const end = at + text.length;
    if (placeholder !== undefined) {
      while (next < safe.length && (safe[next]?.[1] ?? 0) < end) next++;
      if ((safe[next]?.[0] ?? Infinity) > at)
        fail(
          at,
          `{{${placeholder}}} may not stand here, but between elements, in quotes in title, alt, value or data-…, and {{url}} as the whole of an href`,
        );
    }
    at = end;
  }
}

function lineAt(pieces: readonly Piece[], at: number): number {
  let from = 0;
  for (const { text, line } of pieces) {
    if (at < from + text.length) return line + text.slice(0, at - from).split('\n').length - 1;
    from += text.length;
  }
  return 1;
}

import { Parser } from 'htmlparser2';

const NO_TEXT = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'nav', 'button', 'form']);
const BLOCKS = new Set(
  (
    'address article aside blockquote body br dd details div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 ' +
    'header hr html li main ol p pre section summary table tbody thead tr ul'
  ).split(' '),
);
const CELLS = new Set(['td', 'th']);

/** Returns the text of HTML without scripts and navigation: a line per block or table row. @throws UnreadableHtml */
export function htmlText(html: string): string {
  return readText(html).text;
}

/** Returns the text of HTML. `isWhole`: it has blocks, and no text outside the outermost elements. */
function readText(html: string): { text: string; isWhole: boolean } {
  let text = '';
  let blocks = 0;
  let beside = 0;
  let silent = 0;
  let verbatim = 0;
  let open = 0;
  const parser = new Parser(
    {
      onopentag: (name) => {
        if (open === 0 && BLOCKS.has(name)) blocks++;
        checkLevels(open++);
        if (NO_TEXT.has(name)) silent++;
        else if (name === 'pre') verbatim++;
        if (BLOCKS.has(name)) text += name === 'li' || name === 'br' || name === 'tr' ? '\n' : '\n\n';
      },
      ontext: (piece) => {
        if (open === 0 && piece.trim() !== '') beside++;
        if (silent === 0) text += verbatim > 0 ? piece : piece.replace(/\s+/g, ' ');
      },
      onclosetag: (name) => {
        open--;
        if (NO_TEXT.has(name)) silent = Math.max(0, silent - 1);
        else if (name === 'pre') verbatim = Math.max(0, verbatim - 1);
        if (CELLS.has(name)) text += ' ';
        else if (BLOCKS.has(name) && name !== 'br') text += name === 'li' || name === 'tr' ? '\n' : '\n\n';
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.end(html);
  return { text: tidyText(text), isWhole: blocks > 0 && beside === 0 };
}

/** Removes trailing spaces and repeated empty lines. */
export function tidyText(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd().replace(/^ (?! )/, ''));
  return lines
    .filter((line, at) => line !== '' || (lines[at - 1] ?? '') !== '')
    .join('\n')
    .trim();
}

/** The max levels of elements, as in Blink: no visible page needs more. The parser's work grows with them. */
const MAX_LEVELS = 512;

/** HTML that cannot be read; the message is the reason. */
export class UnreadableHtml extends Error {}

/** @param open number of open elements. @throws UnreadableHtml at {@link MAX_LEVELS} */
export function checkLevels(open: number): void {
  if (open >= MAX_LEVELS) throw new UnreadableHtml(`its elements are nested more than ${MAX_LEVELS} levels deep`);
}

const DOCUMENT =
  /^(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+html|html)\b[^]*<(?:head|body|title|main|div|p|h1)(?:\s[^<>]*)?>/i;
const MARKDOWN = /^(?:#{1,6} |[-*+] |\d+\. |> |```)|\]\([^\s)]{1,300}\)|\*\*\S/m;

/** Returns the text of content that is HTML as a whole. Other content stays: Markdown and code may have tags. */
export function textOfPushed(content: string): string {
  const trimmed = content.trim();
  const isDocument = DOCUMENT.test(trimmed);
  const isFragment = /^<[a-z!]/i.test(trimmed) && /<\/[a-z]/i.test(trimmed) && trimmed.endsWith('>');
  if (!isDocument && (!isFragment || MARKDOWN.test(trimmed))) return content;
  try {
    const { text, isWhole } = readText(trimmed);
    return isDocument || isWhole ? text : content;
  } catch (error) {
    if (error instanceof UnreadableHtml) return content;
    throw error;
  }
}

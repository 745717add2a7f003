import { Parser } from 'htmlparser2';
import { BLOCKS, htmlText, UnreadableHtml } from './html-text.js';

const DOCUMENT = /^(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+html|html)\b/i;
const DOCUMENT_PART = /<(?:head|body|title|main|div|p|h1)(?:\s[^<>]*)?>/i;
const MARKDOWN = /^(?:#{1,6} |[-*+] |\d+\. |> |```)|\]\([^\s)]+\)|\*\*\S/m;

/** The text of a content that is HTML as a whole; another as it is, since Markdown has tags and code is about them. */
export function textOfPushed(content: string): string {
  if (!isHtml(content.trim())) return content;
  try {
    return htmlText(content);
  } catch (error) {
    if (error instanceof UnreadableHtml) return content;
    throw error;
  }
}

/** Whether it is a document, or elements with no text beside them. */
function isHtml(text: string): boolean {
  if (DOCUMENT.test(text)) return DOCUMENT_PART.test(text);
  if (!/^<[a-z!]/i.test(text) || !text.endsWith('>') || MARKDOWN.test(text)) return false;
  let depth = 0;
  let blocks = 0;
  let beside = 0;
  let closed = 0;
  const parser = new Parser({
    onopentag: (name) => {
      if (depth++ === 0 && BLOCKS.has(name)) blocks++;
    },
    ontext: (piece) => {
      if (depth === 0 && piece.trim() !== '') beside++;
    },
    onclosetag: (_name, isImplied) => {
      depth--;
      if (!isImplied) closed++;
    },
  });
  parser.end(text);
  return blocks > 0 && closed > 0 && beside === 0;
}

import { readText, UnreadableHtml } from './html-text.js';

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

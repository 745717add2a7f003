const BLOCK =
  /^<\/?(?:address|article|aside|blockquote|br|dd|details|div|dl|dt|figure|figcaption|footer|form|h[1-6]|header|hr|li|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)(?![\w-])/i;
const VERBATIM = /<(\/?)(?:pre|script|style|textarea)(?![\w-])/gi;

/**
 * Converts newlines to HTML like WordPress's `wpautop`: an empty line separates paragraphs, other newlines become <br>.
 * Text from the block editor has its elements already.
 */
export function autoParagraphs(html: string): string {
  if (html.includes('<!-- wp:')) return html;
  let text = '';
  let before = '';
  let isBlank = false;
  let isVerbatim = false;
  for (const line of html.split(/\r\n?|\n/)) {
    if (!isVerbatim && line.trim() === '') {
      isBlank = true;
      continue;
    }
    if (text !== '')
      text +=
        isVerbatim || before.lastIndexOf('<') > before.lastIndexOf('>')
          ? '\n'
          : isBlank
            ? '\n<p>'
            : joint(before, line);
    text += line;
    for (const [, end] of line.matchAll(VERBATIM)) isVerbatim = end === '';
    before = line;
    isBlank = false;
  }
  return text;
}

function joint(before: string, line: string): string {
  return BLOCK.test(line.trimStart()) ||
    (before.trimEnd().endsWith('>') && BLOCK.test(before.slice(before.lastIndexOf('<'))))
    ? '\n'
    : '<br>\n';
}

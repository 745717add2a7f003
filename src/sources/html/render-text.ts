/** The used part of the DOM; TypeScript's own types are for browsers. */
export interface HtmlNode {
  nodeType: number;
  nodeName: string;
  textContent: string | null;
  childNodes: Iterable<HtmlNode>;
  getAttribute?(name: string): string | null;
}

/** The used part of linkedom's elements. */
export interface HtmlElement extends HtmlNode {
  parentNode: HtmlElement | null;
  children: Iterable<HtmlElement>;
  previousElementSibling: HtmlElement | null;
  nextElementSibling: HtmlElement | null;
  querySelectorAll(selector: string): Iterable<HtmlElement>;
  querySelector(selector: string): HtmlElement | null;
  closest(selector: string): HtmlElement | null;
  matches(selector: string): boolean;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
  cloneNode(deep: true): HtmlElement;
  replaceChildren(...nodes: HtmlNode[]): void;
  appendChild(node: HtmlNode): void;
}

const BLOCK =
  /^(?:ADDRESS|ARTICLE|ASIDE|BLOCKQUOTE|BODY|CAPTION|CENTER|DD|DETAILS|DIV|DL|DT|FIELDSET|FIGCAPTION|FIGURE|FOOTER|FORM|H[1-6]|HEADER|HGROUP|HR|LI|MAIN|MENU|OL|P|PRE|SECTION|SUMMARY|TABLE|TBODY|TFOOT|THEAD|TR|UL)$/;
/** Matches the text of the anchor link next to a heading. */
const HEADING_ANCHOR = /^[\s#¶§🔗\u200b]*$/u;

/** Renders headings, lists, tables and code as Markdown, and links as their text. */
export function renderText(root: HtmlNode): string {
  const blocks: string[] = [];
  let line = '';
  const endLine = (): void => {
    const text = line
      .replace(/[ \t\r\n\f]+/g, ' ')
      .replace(/ ?\u0000 ?/g, '\n')
      .trim();
    if (text !== '') blocks.push(text);
    line = '';
  };

  const walk = (node: HtmlNode, inLine: boolean): void => {
    for (const child of node.childNodes)
      if (child.nodeType === 3) line += (child.textContent ?? '').replaceAll('\u0000', '');
      else if (child.nodeType === 1) element(child, inLine);
  };
  const inner = (node: HtmlNode): string => {
    const before = line;
    line = '';
    walk(node, true);
    const text = line.replace(/[\s\u0000]+/g, ' ').trim();
    line = before;
    return text;
  };
  const element = (node: HtmlNode, inLine: boolean): void => {
    const name = node.nodeName.toUpperCase();
    if (name === 'BR') line += inLine ? ' ' : '\u0000';
    else if (name === 'A' && HEADING_ANCHOR.test(node.textContent ?? '')) return;
    else if (inLine) {
      if (BLOCK.test(name) || name === 'TD' || name === 'TH') line += ' ';
      walk(node, inLine);
      if (BLOCK.test(name)) line += ' ';
    } else if (!BLOCK.test(name)) walk(node, inLine);
    else {
      endLine();
      if (/^H[1-6]$/.test(name)) {
        const text = inner(node);
        if (text !== '') blocks.push(`${'#'.repeat(Number(name[1]))} ${text}`);
      } else if (name === 'PRE') {
        const code = (node.textContent ?? '').replace(/^\s*\n/, '').trimEnd();
        if (code !== '') blocks.push(`\`\`\`\n${code}\n\`\`\``);
      } else if (name === 'UL' || name === 'OL') list(node, name === 'OL');
      else if (name === 'TR') {
        const cells = [...node.childNodes].filter(({ nodeName }) => /^T[DH]$/i.test(nodeName)).map(inner);
        if (cells.some((cell) => cell !== ''))
          blocks.push(cells.length === 1 ? (cells[0] ?? '') : `| ${cells.join(' | ')} |`);
      } else {
        walk(node, inLine);
        endLine();
      }
    }
  };
  const list = (node: HtmlNode, isNumbered: boolean): void => {
    let number = Number(node.getAttribute?.('start') ?? 1) || 1;
    for (const item of node.childNodes) {
      if (item.nodeType !== 1) continue;
      const from = blocks.length;
      walk(item, false);
      endLine();
      const mark = isNumbered ? `${number++}. ` : '- ';
      const made = blocks.splice(from);
      if (made.length > 0) blocks.push(mark + made.join('\n').replaceAll('\n', '\n  '));
    }
  };

  walk(root, false);
  endLine();
  return joinBlocks(blocks);
}

/** Separates blocks by an empty line, but rows of a table and items of a list by a newline. */
function joinBlocks(blocks: readonly string[]): string {
  return blocks
    .map((block, i) => {
      const before = blocks[i - 1];
      if (before === undefined) return block;
      const together = kindOf(block) !== undefined && kindOf(block) === kindOf(before);
      return `${together ? '\n' : '\n\n'}${block}`;
    })
    .join('');
}

function kindOf(block: string): 'row' | 'item' | undefined {
  if (block.startsWith('| ')) return 'row';
  return /^(?:- |\d+\. )/.test(block) ? 'item' : undefined;
}

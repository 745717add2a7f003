import { htmlText, tidyText } from '#src/sources/html/html-text.js';

/** Placeholder marks for code while the text around it is read: private use characters. */
const OPEN = '\uE000';
const CLOSE = '\uE001';

const FENCE = /^[ \t>]*(`{3,}|~{3,})/;

/**
 * Returns the text of Markdown. Keeps code and table cells; removes marks, link targets, HTML, JSX, imports, comments,
 * shortcodes of Hugo, tags of Liquid and Jinja, and marks of admonitions and tabs. `firstHeading`: of level 1.
 */
export function markdownText(markdown: string): { text: string; firstHeading: string | undefined } {
  const codes: string[] = [];
  const keep = (code: string): string => `${OPEN}${codes.push(code) - 1}${CLOSE}`;
  const prose = setCodeAside(markdown.replaceAll(/[\uE000\uE001]/g, ''), keep);
  const lines = plainTags(prose).split('\n');
  let firstHeading: string | undefined;
  const plain = lines.flatMap((line, at) => {
    const read = readLine(line, lines[at - 1] ?? '');
    if (read?.level === 1) firstHeading ??= read.text;
    if (read?.underlined === true && at > 0) firstHeading ??= plainInline(lines[at - 1] ?? '').trim();
    return read && read.underlined !== true ? [read.text] : [];
  });
  // Decodes entities and removes HTML; <pre> keeps the lines.
  const text = htmlText(`<pre>${plain.join('\n')}</pre>`);
  const restore = (prose: string): string =>
    prose.replace(/\uE000(\d+)\uE001/g, (_, index: string) => codes[Number(index)] ?? '');
  const heading = firstHeading === undefined ? undefined : restore(htmlText(firstHeading)).trim();
  return { text: tidyText(restore(text)), firstHeading: heading === '' ? undefined : heading };
}

/** Replaces fenced blocks and code spans by placeholders. */
function setCodeAside(markdown: string, keep: (code: string) => string): string {
  const out: string[] = [];
  let block: { fence: string; lines: string[] } | undefined;
  for (const line of markdown.split('\n')) {
    const [start = '', fence = ''] = FENCE.exec(line) ?? [];
    const info = line.slice(start.length);
    if (block) {
      if (fence.startsWith(block.fence) && info.trim() === '') {
        out.push(keep(block.lines.join('\n')));
        block = undefined;
      } else block.lines.push(line);
    } else if (fence !== '' && !(fence.startsWith('`') && info.includes('`'))) block = { fence, lines: [] };
    else out.push(line);
  }
  if (block) out.push(keep(block.lines.join('\n')));
  return out
    .join('\n')
    .replace(/``([^\n]{1,500}?)``(?!`)|`([^`\n]{1,500})`/g, (_, doubled?: string, single?: string) =>
      keep((doubled ?? single ?? '').trim()),
    );
}

/** Removes tags of generators and comments, which may span several lines. */
function plainTags(text: string): string {
  return text
    .replace(/<!--(?:(?!-->)[\s\S])*(?:-->)?/g, '')
    .replace(/\{%-?\s*comment\s*-?%\}(?:(?!\{%-?\s*endcomment)[\s\S])*/g, '')
    .replace(/\{\{[<%][^{}]{0,2000}\}\}/g, '')
    .replace(/\{%(?:[^{%]|%(?!\})){0,2000}%\}/g, '')
    .replace(/\{\{[^{}]{0,2000}\}\}/g, '')
    .replace(/\{\/\*(?:(?!\*\/)[\s\S])*\*\/\}/g, '');
}

/** Returns the text of a line; undefined if it only has marks. */
function readLine(line: string, before: string): { text: string; level?: number; underlined?: boolean } | undefined {
  const bare = line.replace(/^(?:\s{0,3}>)+ ?/, '').trimEnd();
  if (/^(?:import\s.{1,2000}\sfrom\s{0,9}['"]|import\s+['"]|export\s+(?:default|const|function)\b)/.test(bare))
    return undefined;
  if (/^\s*\[[^\]\n]{1,500}\]:\s/.test(bare)) return undefined;
  if (/^\s*\{:?[:.#][^{}\n]{0,500}\}$/.test(bare) || /^\s*\[TOC\]$/i.test(bare)) return undefined;
  const underline = /^\s{0,3}(=+|-+)$/.exec(bare)?.[1];
  if (underline !== undefined)
    return before.trim() === '' || underline.startsWith('-') ? undefined : { text: '', underlined: true };
  if (/^\s{0,3}(?:[*_-] ?){3,}$/.test(bare)) return undefined;
  if (/^[\s:|-]+$/.test(bare) && bare.includes('-') && bare.includes('|')) return undefined;
  const marks = /^\s{0,3}(#{1,6})(?=\s|$)/.exec(bare);
  if (marks) {
    const heading = bare
      .slice(marks[0].length)
      .replace(/\{#[^{}\n]{1,200}\}$/, '')
      .trimEnd();
    return { text: plainInline(heading.replace(/\s#+$/, '')).trim(), level: marks[1]?.length ?? 0 };
  }
  const mark = /^\s*(?::{3,}|[!?]{3}\+?(?=\s)|={3}[!+]?(?=\s))/.exec(bare);
  if (mark) return { text: plainInline(titleOf(bare.slice(mark[0].length).trim())) };
  if (/^\[![A-Z]+\][+-]?$/.test(bare)) return undefined;
  return { text: plainInline(bare) };
}

/** Returns the title of an admonition or a tab: `note Title`, `note[Title]`, `note "Title"`, `"Tab"`. */
function titleOf(text: string): string {
  const quoted = /"([^"]*)"/.exec(text)?.[1];
  return (
    quoted ??
    text
      .replace(/^(?:[\w-]+|\{[^{}]*\})/, '')
      .replace(/^\s*\[|\]$/g, '')
      .trim()
  );
}

/** Removes marks of emphasis, links and images. */
function plainInline(text: string): string {
  return text
    .replace(
      /!?\[([^\][\n]{0,1000})\](?:\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})?\)|\[[^\][\n]{0,500}\])/g,
      '$1',
    )
    .replace(/!?\[([^\][\n]{0,1000})\]\([^()\n]{0,2000}\)/g, '$1')
    .replace(/<(https?:\/\/[^<>\s]{1,2000})>/g, '$1')
    .replace(/\{:?\s?[.#:][^{}\n]{0,300}\}/g, '')
    .replace(/(\*\*|__|~~)(?=\S)/g, '')
    .replace(/(?<=\S)(\*\*|__|~~)/g, '')
    .replace(/(?<![\w*])[*_](?=[^\s*_])|(?<=[^\s*_])[*_](?![\w*])/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/^\s*\|\s?|\s?\|\s*$/g, '');
}

import { OperatorError } from '../../../base/errors.js';
import { escapeHtml } from '../../../text/html.js';
import { checkContexts, SAMPLE_URL } from './template-contexts.js';

/** What a template of the page for a 404 shows. */
export interface TemplateData {
  heading: string;
  /** The dead path, as it was asked for. */
  path: string;
  isGone: boolean;
  suggestions: readonly { href: string; title: string }[];
}

export interface Template {
  render(data: TemplateData): string;
  /** The header that goes with it: no scripts, and of inline styles those of the template. */
  contentSecurityPolicy: string;
}

/** A part of a page: text of the template, or a value, which is not escaped yet. */
export interface Piece {
  text: string;
  /** Of the value. */
  placeholder?: string;
  /** Where it begins in the template. */
  line: number;
}

type Node =
  | { kind: 'text'; text: string; line: number }
  | { kind: 'value'; name: string; line: number }
  | { kind: 'section'; name: string; isInverted: boolean; nodes: Node[]; line: number };

const VALUES = ['heading', 'path'];
const VALUES_OF_SUGGESTION = ['url', 'title'];
/** Mustache's sections: shown if it is so (`#`) or if it is not (`^`); `suggestions` for each of them. */
const SECTIONS = ['gone', 'found', 'suggestions'];

/** Each may be as long as a path: this bounds the page. */
const MAX_PLACEHOLDERS = 200;
const MAX_DEPTH = 8;

/** @param name of the file, for messages. @throws OperatorError that names its line */
export function parseTemplate(source: string, name: string): Template {
  const nodes = parseNodes(source.replace(/^\uFEFF/, ''), name);
  // Letters, so that a value that would begin an element begins one here.
  const sample = { heading: 'heading', path: 'path' };
  const suggestion = { href: SAMPLE_URL, title: 'title' };
  const styles = new Set<string>();
  // In every form that the page may have: what a placeholder stands in may depend on a section before it.
  for (const isGone of [false, true])
    for (const suggestions of [[], [suggestion, suggestion]])
      checkContexts([...walk(nodes, { ...sample, isGone, suggestions })], name, styles);
  return {
    render: (data) =>
      [...walk(nodes, data)]
        .map(({ text, placeholder }) => (placeholder !== undefined ? escapeHtml(text) : text))
        .join(''),
    contentSecurityPolicy: [
      "default-src 'none'",
      ["style-src 'self' https:", ...styles].join(' '),
      "img-src 'self' https: data:",
      "font-src 'self' https: data:",
      "form-action 'self' https:",
      "base-uri 'none'",
    ].join('; '),
  };
}

function* walk(
  nodes: readonly Node[],
  data: TemplateData,
  one?: TemplateData['suggestions'][number],
): Generator<Piece> {
  const { heading, path } = data;
  const values: Record<string, string> = { heading, path, ...(one && { url: one.href, title: one.title }) };
  for (const node of nodes) {
    if (node.kind === 'text') yield { text: node.text, line: node.line };
    else if (node.kind === 'value') yield { text: values[node.name] ?? '', placeholder: node.name, line: node.line };
    else if (node.name === 'suggestions') for (const each of data.suggestions) yield* walk(node.nodes, data, each);
    else if ((node.name === 'gone' ? data.isGone : data.suggestions.length > 0) !== node.isInverted)
      yield* walk(node.nodes, data, one);
  }
}

function parseNodes(source: string, name: string): Node[] {
  let line = 1;
  const fail = (reason: string): never => {
    throw new OperatorError(`${name}:${line}: ${reason}.`);
  };
  const root: Node[] = [];
  const open: Extract<Node, { kind: 'section' }>[] = [];
  const add = (node: Node): void => void (open.at(-1)?.nodes ?? root).push(node);
  const takeText = (text: string): void => {
    const stray = text.indexOf('{{');
    if (stray >= 0) line += newlines(text.slice(0, stray));
    if (stray >= 0) fail('{{ begins no placeholder: names in two braces, on one line, are expected');
    if (text !== '') add({ kind: 'text', text, line });
    line += newlines(text);
  };
  let from = 0;
  let count = 0;
  for (const match of source.matchAll(/\{\{([^{}\n]{0,60})\}\}/g)) {
    takeText(source.slice(from, match.index));
    from = match.index + match[0].length;
    if (source[match.index - 1] === '{') fail('three braces: every value is escaped, so there are only two');
    if (++count > MAX_PLACEHOLDERS) fail(`more than ${MAX_PLACEHOLDERS} placeholders`);
    const text = (match[1] ?? '').trim();
    const sign = /^[#^/]/.exec(text)?.[0];
    const word = sign === undefined ? text : text.slice(1).trim();
    const inSuggestion = open.some((section) => section.name === 'suggestions');
    if (sign === undefined) {
      const known = inSuggestion ? [...VALUES, ...VALUES_OF_SUGGESTION] : VALUES;
      if (!known.includes(word) && VALUES_OF_SUGGESTION.includes(word))
        fail(`{{${word}}} has a meaning between {{#suggestions}} and {{/suggestions}} only`);
      if (!known.includes(word)) fail(`there is no placeholder {{${word}}}; there are ${known.join(', ')}`);
      add({ kind: 'value', name: word, line });
      continue;
    }
    if (!SECTIONS.includes(word)) fail(`there is no section {{${sign}${word}}}; there are ${SECTIONS.join(', ')}`);
    if (sign === '/') {
      const closed = open.pop();
      if (closed?.name !== word) fail(`{{/${word}}} closes ${closed ? `{{#${closed.name}}}` : 'no section'}`);
      continue;
    }
    if (word === 'suggestions' && (sign === '^' || inSuggestion))
      fail(sign === '^' ? 'write {{^found}} for what is shown without suggestions' : 'suggestions have no suggestions');
    if (open.length >= MAX_DEPTH) fail(`more than ${MAX_DEPTH} sections in one another`);
    const section = { kind: 'section' as const, name: word, isInverted: sign === '^', nodes: [], line };
    add(section);
    open.push(section);
  }
  takeText(source.slice(from));
  const last = open.at(-1);
  if (last)
    throw new OperatorError(`${name}:${last.line}: {{${last.isInverted ? '^' : '#'}${last.name}}} is not closed.`);
  return root;
}

function newlines(text: string): number {
  return text.split('\n').length - 1;
}

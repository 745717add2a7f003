import { Parser } from 'htmlparser2';
import { OperatorError } from '../../base/errors.js';
import { escapeHtml } from '../../text/html.js';
import { hashSource } from './not-found-page.js';

/** The values that a template of the page for a 404 shows. */
export interface TemplateData {
  heading: string;
  /** The dead path, as it was requested. */
  path: string;
  isGone: boolean;
  suggestions: readonly { href: string; title: string }[];
}

export interface Template {
  render(data: TemplateData): string;
  /** The header that belongs to the page: it allows no scripts, and of inline styles only those of the template. */
  contentSecurityPolicy: string;
}

type View = Pick<TemplateData, 'isGone' | 'suggestions'> & { values: Readonly<Record<string, string>> };
/** Makes the text that is shown for a value, of the placeholder `word` that stands at a place of the template. */
type Escape = (value: string, at: number, word: string) => string;
type Part = (view: View, escape: Escape) => string;
type Fail = (at: number, reason: string) => never;

const VALUES = ['heading', 'path'];
const VALUES_OF_SUGGESTION = ['url', 'title'];
/** Mustache's sections are shown if their name is true (`#`) or false (`^`); `suggestions` once for each. */
const SECTIONS = ['gone', 'found', 'suggestions'];
const PLACEHOLDER = /\{\{([^{}\n]{0,60})\}\}/g;

/** The limit bounds the page, since each placeholder may become as long as a path. */
const MAX_PLACEHOLDERS = 200;
const MAX_DEPTH = 8;

/** @param name of the file, for messages. @throws OperatorError that names its line */
export function parseTemplate(text: string, name: string): Template {
  const source = text.replace(/^\uFEFF/, '');
  const fail: Fail = (at, reason) => {
    throw new OperatorError(`${name}:${source.slice(0, at).split('\n').length}: ${reason}.`);
  };
  const parts = parseParts(source, fail);
  const styles = new Set<string>();
  const suggestion = { href: '', title: '' };
  // Every form that the page may have is checked: a section may decide about the element in which a placeholder stands.
  for (const isGone of [false, true])
    for (const suggestions of [[], [suggestion, suggestion]])
      checkPlaces(source, (mark) => write(parts, { isGone, suggestions, values: {} }, mark), fail, styles);
  return {
    render: ({ heading, path, ...data }) => write(parts, { ...data, values: { heading, path } }, escapeHtml),
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

function parseParts(source: string, fail: Fail): Part[] {
  const placeholders = source.matchAll(PLACEHOLDER);
  let count = 0;
  let from = 0;
  const takeText = (to: number): Part => {
    const text = source.slice(from, to);
    const stray = text.indexOf('{{');
    if (stray >= 0) fail(from + stray, '{{ begins no placeholder: names in two braces, on one line, are expected');
    return () => text;
  };
  /** @param open the sections that are open, the innermost last */
  const read = (open: readonly { word: string; sign: string; at: number }[]): Part[] => {
    const parts: Part[] = [];
    const last = open.at(-1);
    const inSuggestion = open.some(({ word }) => word === 'suggestions');
    for (let next = placeholders.next(); !next.done; next = placeholders.next()) {
      const { index: at, 0: whole, 1: inner = '' } = next.value;
      const sign = /^[#^/]/.exec(inner.trim())?.[0] ?? '';
      const word = inner.trim().slice(sign.length).trim();
      parts.push(takeText(at));
      from = at + whole.length;
      if (source[at - 1] === '{') fail(at, 'three braces: every value is escaped, so there are only two');
      if (++count > MAX_PLACEHOLDERS) fail(at, `more than ${MAX_PLACEHOLDERS} placeholders`);
      if (sign === '') {
        const known = inSuggestion ? [...VALUES, ...VALUES_OF_SUGGESTION] : VALUES;
        if (!known.includes(word) && VALUES_OF_SUGGESTION.includes(word))
          fail(at, `{{${word}}} has a meaning between {{#suggestions}} and {{/suggestions}} only`);
        if (!known.includes(word)) fail(at, `there is no placeholder {{${word}}}; there are ${known.join(', ')}`);
        parts.push(({ values }, escape) => escape(values[word] ?? '', at, word));
        continue;
      }
      if (!SECTIONS.includes(word))
        fail(at, `there is no section {{${sign}${word}}}; there are ${SECTIONS.join(', ')}`);
      if (sign === '/') {
        if (word !== last?.word) fail(at, `{{/${word}}} closes ${last ? `{{#${last.word}}}` : 'no section'}`);
        return parts;
      }
      if (word === 'suggestions' && sign === '^') fail(at, 'write {{^found}} for what is shown without suggestions');
      if (word === 'suggestions' && inSuggestion) fail(at, 'suggestions have no suggestions');
      if (open.length >= MAX_DEPTH) fail(at, `more than ${MAX_DEPTH} sections in one another`);
      parts.push(section(word, sign === '#', read([...open, { word, sign, at }])));
    }
    if (last) fail(last.at, `{{${last.sign}${last.word}}} is not closed`);
    return [...parts, takeText(source.length)];
  };
  return read([]);
}

function section(word: string, isPositive: boolean, parts: readonly Part[]): Part {
  if (word !== 'suggestions')
    return (view, escape) =>
      (word === 'gone' ? view.isGone : view.suggestions.length > 0) === isPositive ? write(parts, view, escape) : '';
  return (view, escape) =>
    view.suggestions
      .map(({ href, title }) => write(parts, { ...view, values: { ...view.values, url: href, title } }, escape))
      .join('');
}

function write(parts: readonly Part[], view: View, escape: Escape): string {
  return parts.map((part) => part(view, escape)).join('');
}

/** Attributes that hold text for people: nothing in them is run or loaded. */
const TEXT_ATTRIBUTES = /^(?:title|alt|value|placeholder|label|aria-label|aria-description|data-[\w-]{1,60})$/;

/**
 * Checks that every value stands where escaped text stays text: between elements, in a quoted attribute that holds
 * text, or, for the url of a page, as the whole of an `href`. Anywhere else (a script, a style sheet, another
 * attribute, a comment) a title or the path that a visitor requested could do more than be read.
 * @param page writes the page with the marks that its parameter makes of the values
 * @param styles gets the sources that allow the page's style elements, for a Content-Security-Policy
 */
function checkPlaces(source: string, page: (mark: Escape) => string, fail: Fail, styles: Set<string>): void {
  const marks = new Map<string, { at: number; word: string }>();
  const written = page((_, at, word) => {
    // A letter first, so that a value that would begin an element begins one here.
    const mark = `v\uE000${marks.size}\uE001`;
    marks.set(mark, { at, word });
    return mark;
  });
  const safe: string[] = [];
  let element = '';
  let style = '';
  new Parser(
    {
      onopentagname: (name) => {
        element = name;
        if (name === 'script') fail(source.search(/<script/i), 'no script runs on this page: leave <script> out');
      },
      onattribute: (name, value, quote) => {
        const isUrl = name === 'href' && marks.get(value)?.word === 'url';
        if (quote && (isUrl || TEXT_ATTRIBUTES.test(name))) safe.push(value);
      },
      ontext: (text) => {
        if (element === 'style') style += text;
        else safe.push(text);
      },
      onclosetag: () => {
        if (element === 'style') styles.add(hashSource(style));
        style = element = '';
      },
    },
    { decodeEntities: false },
  ).end(written);
  const shown = safe.join('\n');
  for (const [mark, { at, word }] of marks)
    if (!shown.includes(mark))
      fail(
        at,
        `{{${word}}} may not stand here, but between elements, in quotes in title, alt, value or data-…, and {{url}} as the whole of an href`,
      );
}
